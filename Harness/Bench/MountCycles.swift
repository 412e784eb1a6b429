import FaultFS
import FaultModel
import SystemIO
import Wire

/// What the next case costs: a volume set back under a mount that stays, and a mount made anew.
enum MountCycles {
  /// A folder with this many files is what is set back.
  static let fileCount = 20
  /// The most that setting back may take, in milliseconds.
  static let bound = 0.3

  /// - Returns: lines for people, and the same for programs.
  static func measure(
    harness: BytePath, in folder: BytePath, rounds: Int
  ) throws(BenchError) -> (lines: [String], json: JSON) {
    do throws(RigError) {
      let rig = try RigClient.start(harness: harness, workFolder: folder, cards: [])
      let script = try script()
      var resets: [Double] = []
      var mounts: [Double] = []
      _ = try rig.load(script, caseIndex: 0)
      for _ in 0..<rounds {
        resets.append(
          try milliseconds { () throws(RigError) in
            _ = try rig.load(script, caseIndex: 0)
          })
      }
      // Another cache policy needs another mount.
      for round in 0..<rounds {
        mounts.append(
          try milliseconds { () throws(RigError) in
            _ = try rig.load(script, caseIndex: 1 + round % 2)
          })
      }
      try rig.shutdown()
      return told(Ratio(resets), Ratio(mounts))
    } catch {
      throw .rig(error)
    }
  }

  private static func told(_ reset: Ratio?, _ mount: Ratio?) -> (lines: [String], json: JSON) {
    let isSlow = reset.map { $0.median > bound } ?? false
    let lines = [
      "reset of a volume of \(fileCount) files under its mount: \(reset?.text ?? "-") ms of "
        + "\(Ratio.twoPlaces(bound)) allowed" + (isSlow ? ": TOO MUCH" : ""),
      "unmount, mount and the same: \(mount?.text ?? "-") ms",
    ]
    return (
      lines,
      .object([
        .init("resetMilliseconds", reset?.json ?? .null),
        .init("mountMilliseconds", mount?.json ?? .null),
      ])
    )
  }

  private static func milliseconds(
    _ body: () throws(RigError) -> Void
  ) throws(RigError) -> Double {
    let clock = SystemClock()
    let start = clock.monotonic()
    try body()
    return (clock.monotonic() - start).seconds * 1000
  }

  private static func script() throws(RigError) -> Script {
    let cases = ["none", "kernel", "none"].enumerated().map { index, policy in
      """
      case "\(index)"
        volume dst persona ext4 capacity 16MiB cache \(policy)
        expect verified

      """
    }
    let text = """
      custody-fault 1
      card    random files=\(fileCount) bytes=64KiB..64KiB
      volume  src  persona ext4  capacity 16MiB
      volume  dst  persona ext4  capacity 16MiB

      """ + cases.joined()
    do throws(ScriptError) {
      return try ScriptLoader(cards: CardLibrary(folders: [])).load(
        Array(text.utf8), name: "bench")
    } catch {
      throw RigError("\(error)")
    }
  }
}
