import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// Whatever is killed or stopped at whatever moment: no mount and no process stays stuck.
  @Suite struct Safety {
    /// Writes bytes one by one, for hours.
    private static func writer(_ place: BytePath) throws -> ChildProcess {
      try ChildProcess.spawn(
        ChildProcess.Command(
          "/bin/dd",
          ["if=/dev/zero", "of=\(place)/big", "bs=1", "status=none"].map { Array($0.utf8) }))
    }

    private static func isGone(_ place: BytePath) -> Bool {
      (try? MountTable.current().entry(at: place)) == nil
    }

    @Test(
      "The rig is killed or stopped while dd writes: dd fails, the mounts go, the watchdog ends",
      arguments: [Signal.kill, .stop, .terminate])
    func rigStruck(_ signal: Signal) throws {
      let rig = try RigFixture()
      let place = try #require(
        try rig.load(RigProcess.plain)["dst"])
      var dd = try Self.writer(place)
      #expect(try dd.wait(timeout: .milliseconds(200)) == nil)
      Glibc.kill(rig.client.pid, signal.rawValue)
      let status = try dd.wait(timeout: .seconds(8))
      #expect(status == .exited(1))
      #expect(eventually { rig.mounts.isEmpty && Self.isGone(place) })
      #expect(throws: RigError.self) { try rig.client.status() }
      #expect((signal == .terminate) == ((try? rig.client.shutdown()) != nil))
      rig.removeFolder()
    }

    @Test("The watchdog is killed: the rig ends its mounts itself, and in order")
    func watchdogKilled() throws {
      let rig = try RigFixture()
      let place = try #require(try rig.load(RigProcess.plain)["dst"])
      Glibc.kill(rig.client.watchdogPID, SIGKILL)
      #expect(eventually { rig.mounts.isEmpty && Self.isGone(place) })
      #expect(throws: RigError.self) { try rig.client.status() }
      try? rig.client.shutdown()
      rig.removeFolder()
    }

    @Test("The runner is killed: the rig ends its mounts and its subject")
    func runnerKilled() throws {
      let rig = try RigFixture()
      let place = try #require(
        try rig.load(RigProcess.plain)["dst"])
      var dd = try Self.writer(place)
      try rig.client.beginRun(processID: dd.pid)
      rig.client.hangUp()
      #expect(try dd.wait(timeout: .seconds(5)) == .signalled(.terminate))
      #expect(eventually { rig.mounts.isEmpty && Self.isGone(place) })
      rig.removeFolder()
    }

    @Test("Rig and watchdog are killed together: the next start sweeps the dead mounts away")
    func sweeping() throws {
      let rig = try RigFixture()
      let place = try #require(try rig.load(RigProcess.plain)["dst"])
      let pid = rig.client.pid
      Glibc.kill(rig.client.watchdogPID, SIGSTOP)
      Glibc.kill(rig.client.watchdogPID, SIGKILL)
      Glibc.kill(pid, SIGSTOP)
      Glibc.kill(pid, SIGKILL)
      #expect(eventually { MountTag(process: pid) == nil })
      #expect(!rig.mounts.isEmpty)
      let live = try LiveMount { OneFileVolume(bytes: [1]) }
      defer { live.end() }
      // The start of `live` has swept; our own live mount stays.
      #expect(rig.mounts.isEmpty && Self.isGone(place))
      #expect(!Self.isGone(live.mountPoint))
      #expect(Mounts.sweep().isEmpty)
      try? rig.client.shutdown()
      rig.removeFolder()
    }

    @Test(
      "A silent rig is killed when it sleeps or is stopped, and not while it runs",
      arguments: [
        ("exec sleep 60", false, true), ("exec sleep 60", true, true),
        ("while :; do :; done", false, false),
      ])
    func silence(work: String, isStopped: Bool, dies: Bool) throws {
      var rig = try ChildProcess.spawn(
        ChildProcess.Command("/bin/sh", [Array("-c".utf8), Array(work.utf8)]))
      let tag = try #require(MountTag(process: rig.pid))
      let pipe = try FileDescriptor.pipe()
      var watchdog = try ChildProcess.spawn(
        ChildProcess.Command(try RigFixture.harness(), [Array("watchdog".utf8)], newSession: true),
        descriptors: [(pipe.reading.rawValue, 0)])
      try pipe.writing.writeAll(Array("rig \(tag.pid) \(tag.startTime)\n".utf8))
      if isStopped { try rig.kill(.stop) }
      #expect(try rig.wait(timeout: .milliseconds(1500)) == nil)
      #expect((try rig.wait(timeout: .seconds(dies ? 8 : 4)) == .signalled(.kill)) == dies)
      if !dies { try rig.kill(.kill) }
      _ = try rig.wait()
      if !dies { try watchdog.kill(.kill) }
      #expect(try watchdog.wait(timeout: .seconds(5)) == (dies ? .exited(1) : .signalled(.kill)))
    }

    @Test("Foreign mounts and tags are nobody's to sweep")
    func foreignTags() {
      #expect(MountTag(source: "custody:1:2") == MountTag(pid: 1, startTime: 2))
      for text in [
        "custody", "custody:1", "custody:1:2:3", "custody:x:2", "custody:-1:2", "other:1:2", "",
      ] {
        #expect(MountTag(source: BytePath(text)) == nil)
      }
      #expect(MountTag(process: getpid())?.isOwnerAlive == true)
      // The process number is taken again by a process that started at another time.
      #expect(MountTag(pid: getpid(), startTime: 1).isOwnerAlive == false)
    }

    @Test("A hung subject is ended with the rig within two seconds")
    func hungSubject() throws {
      let rig = try RigFixture()
      let text = """
        custody-fault 1
        card tiny
        volume src persona ext4 capacity 64MiB
        volume dst persona ext4 capacity 64MiB
        case "hang"
          hang read src:** for 60s
          expect sound
        """
      let place = try #require(try rig.load(text)["src"])
      let name = try #require(try rig.client.snapshot("src", .durable).files.first?.path)
      try rig.client.arm(ruleIDs: [0])
      var cat = try ChildProcess.spawn(
        ChildProcess.Command("/bin/cat", [place.appending(name).bytes]))
      try rig.client.beginRun(processID: cat.pid)
      #expect(try cat.wait(timeout: .milliseconds(300)) == nil)
      let start = ContinuousClock.now
      try rig.end()
      #expect(ContinuousClock.now - start < .seconds(2))
      let status = try cat.wait(timeout: .zero)
      #expect(status != nil)
    }
  }
}
