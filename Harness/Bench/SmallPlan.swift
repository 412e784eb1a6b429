import Exploration
import FaultFS
import FaultModel
import Glibc
import SystemIO

/// Every operation of the small engine with every errno: a reset, one rule, a run, and a look at
/// what came of it.
struct SmallPlan {
  let operationCount: Int
  private let engine: SmallEngine
  /// The rule of each schedule with the errno that it gives.
  private let rules: [(id: Int, errno: CInt)]
  private let digests: [String]

  /// What the schedules of one round came to.
  struct Round {
    var count = 0
    /// The engine said so of a file, and of no other.
    var failed = 0
    /// The engine was not hindered: the kernel asked once more.
    var transparent = 0

    var text: String {
      "\(count) schedules a round: \(failed) failed a file, \(transparent) were asked again"
    }
  }

  /// Loads, records a run, and plans from what it asked.
  init(_ rig: RigClient, errnos: [String]) throws(RigError) {
    let names = SmallEngine.names.map(\.escaped)
    let plain = try ScheduleBench.script(names, size: "4KiB", rules: [])
    let volumes = try rig.load(plain, caseIndex: 0)
    guard let source = volumes.first(where: { $0.name == "src" })?.mountPoint,
      let destination = volumes.first(where: { $0.name == "dst" })?.mountPoint
    else { throw RigError("the rig did not mount both volumes") }
    do throws(SystemError) {
      engine = try SmallEngine(source: source, destination: destination)
    } catch {
      throw RigError("\(error)")
    }
    digests = try rig.snapshot("src", .volatile).entries.filter { $0.value.kind == .file }
      .sorted { $0.key < $1.key }.map(\.value.digest)
    // The second recording knows every target from the start, as a rule does.
    for isAgain in [false, true] {
      if isAgain { try rig.reset(arming: []) }
      try rig.observe(isAgain: isAgain)
      var outcomes: [SmallEngine.Outcome] = []
      engine.run(&outcomes)
      guard outcomes.allSatisfy({ $0 == .done }) else {
        throw RigError("the small engine fails without a fault: \(outcomes)")
      }
    }
    let operations = try rig.operations().anchored
    operationCount = operations.count
    if let odd = operations.first(where: { $0.isShadowed && $0.anchor == nil }) {
      throw RigError("no rule strikes \(odd.point) alone")
    }
    var lines: [String] = []
    var planned: [(id: Int, errno: CInt)] = []
    for operation in operations {
      for name in errnos {
        guard let errno = Errno(name: name) else { throw RigError("no errno is named \(name)") }
        let force = operation.operation.legalErrnos.contains(errno) ? "" : " forced"
        planned.append((lines.count, errno.rawValue))
        lines.append(
          "fail \(operation.operation.rawValue) \(operation.target.text) \(operation.clauses) "
            + "with \(name)\(force)")
      }
    }
    let script = try ScheduleBench.script(names, size: "4KiB", rules: lines)
    _ = try rig.load(script, caseIndex: 0)
    rules = zip(script.cases[0].rules, planned).map { ($0.id, $1.errno) }
  }

  /// Runs every schedule once.
  func run(_ rig: RigClient, _ round: inout Round) throws(RigError) {
    var outcomes: [SmallEngine.Outcome] = []
    for rule in rules {
      try rig.reset(arming: [rule.id])
      engine.run(&outcomes)
      round.count += 1
      if try judge(rule, outcomes, rig) { round.failed += 1 } else { round.transparent += 1 }
    }
  }

  /// The rule struck once, at most one file failed, with its errno, and what was called done is
  /// there with the right bytes.
  ///
  /// - Returns: whether a file failed.
  private func judge(
    _ rule: (id: Int, errno: CInt), _ outcomes: [SmallEngine.Outcome], _ rig: RigClient
  ) throws(RigError) -> Bool {
    let (trees, status) = try rig.lookAndStatus(at: ["dst"], [.volatile])
    guard status.fired[rule.id] == 1, let tree = trees[.volatile]?["dst"] else {
      throw RigError("rule \(rule.id) did not strike")
    }
    let failures = outcomes.filter { $0 != .done }
    guard failures.count <= 1, failures.allSatisfy({ isOf(rule.errno, $0) }) else {
      throw RigError("rule \(rule.id): the engine says \(outcomes)")
    }
    for (index, outcome) in outcomes.enumerated() where outcome == .done {
      guard tree[SmallEngine.names[index]]?.digest == digests[index] else {
        throw RigError("rule \(rule.id): \(SmallEngine.names[index]) is not what was copied")
      }
    }
    return !failures.isEmpty
  }

  /// After a CREATE that answers ESTALE the kernel tries again and finds the file.
  private func isOf(_ errno: CInt, _ outcome: SmallEngine.Outcome) -> Bool {
    outcome == .failed(errno) || (errno == ESTALE && outcome == .failed(EEXIST))
  }
}
