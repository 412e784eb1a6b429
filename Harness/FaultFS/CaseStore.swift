import FaultModel

/// The store of a case. Placeholder of the interface until the volumes land: every load is refused.
final class CaseStore: RigStore {
  init(host: any RigHost, cards: CardLibrary) {}
  func load(_ scriptCase: ScriptCase) throws(RigError) {
    throw RigError("this build has no volumes")
  }
  var volumes: [any RigVolume] { [] }
  func arm(_ ruleIDs: Set<Int>) throws(RigError) {}
  func disarm() {}
  func apply(givenOrdinal: Int) throws(RigError) {}
  func beginRun() {}
  func endRun(claimed: Bool) {}
  var fired: [Int: Int] { [:] }
  var acts: [RigAct] { [] }
  var trace: [TraceRecord] { [] }
}
