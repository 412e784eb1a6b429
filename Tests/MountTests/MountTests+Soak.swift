import FaultModel
import Glibc
import SystemIO
import Testing

@testable import Bench
@testable import FaultFS

extension MountTests {
  /// Schedules one after another on one rig. `CUSTODY_SOAK_SCHEDULES` says how many, 1,500 unless
  /// said; `harness bench soak` runs the whole harness 100,000 times.
  @Suite struct Soak {
    private static var scheduleCount: Int {
      Environment.value("CUSTODY_SOAK_SCHEDULES").flatMap { Int($0.escaped) } ?? 1500
    }

    @Test("Schedules in a row leave no descriptor, thread, process, mount or memory in the rig")
    func leavesNothing() throws {
      let rig = try RigFixture()
      let plan = try SmallPlan(rig.client, errnos: ["EIO", "ENOSPC"])
      #expect(plan.operationCount == 75)
      var round = SmallPlan.Round()
      // So that every table has its size.
      for _ in 0..<3 { try plan.run(rig.client, &round) }
      let warm = round.count
      let mounts = rig.mounts
      let before = try #require(ProcessSample(process: rig.client.pid))
      while round.count < warm + Self.scheduleCount { try plan.run(rig.client, &round) }
      let after = try #require(ProcessSample(process: rig.client.pid))
      let growth = try #require(
        Growth(before: [before], after: [after], schedules: round.count - warm))
      #expect(growth.problems.isEmpty)
      #expect(before.children == after.children)
      #expect(rig.mounts == mounts)
      #expect(round.failed > 0 && round.transparent > 0)
      let watchdog = rig.client.watchdogPID
      try rig.end()
      #expect(ProcessSample(process: rig.client.pid) == nil)
      #expect(ProcessSample(process: watchdog) == nil)
    }

    @Test("A reset brings back files, times and silent rules, and arms what it is told")
    func reset() throws {
      let rig = try RigFixture()
      let text = """
        custody-fault 1
        volume src persona ext4 capacity 64MiB
        volume dst persona ext4 capacity 64MiB
        case "reset"
          given src "a" bytes 5000
          given dst "there" bytes 100
          fail create dst:** with EIO always
          expect sound
        """
      #expect(throws: RigError.self) { try rig.client.reset(arming: []) }
      let place = try #require(try rig.load(text)["dst"])
      let before = try rig.client.look(at: ["src", "dst"], [.volatile, .durable])
      let root = try PinnedDirectory.open(place)
      for isArmed in [false, true, false] {
        try rig.client.reset(arming: isArmed ? [0] : [])
        #expect(try rig.client.look(at: ["src", "dst"], [.volatile, .durable]) == before)
        let made = errno(of: { try root.openFile("new", .writeOnly, options: .exclusiveCreate) })
        #expect(made == (isArmed ? .inputOutput : nil))
        try root.unlink("there")
        let (trees, status) = try rig.client.lookAndStatus(at: ["dst"], [.volatile])
        #expect(trees[.volatile]?["dst"]?["there"] == nil)
        #expect((trees[.volatile]?["dst"]?["new"] != nil) == !isArmed)
        #expect(status.fired == (isArmed ? [0: 1] : [:]))
      }
      #expect(throws: RigError.self) { try rig.client.reset(arming: [1]) }
      try rig.end()
    }
  }
}
