import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// `harness mount`, as root and as an ordinary user.
  @Suite struct MountVerb {
    /// A folder of its own with a mount point and a copy of the executable that everyone may run.
    private struct Place {
      let folder: BytePath
      let mountPoint: BytePath
      let harness: BytePath

      init() throws {
        folder = BytePath("/tmp/custody-verb-tests-\(getpid())-\(RandomID().text)")
        mountPoint = folder.appending("mnt")
        harness = folder.appending("harness")
        try FileSystem.makeDirectories(mountPoint, mode: 0o777)
        _ = mountPoint.withCString { chmod($0, 0o777) }
        _ = folder.withCString { chmod($0, 0o777) }
        var copy = try ChildProcess.spawn(
          ChildProcess.Command("/bin/cp", [try RigFixture.harness().bytes, harness.bytes]))
        _ = try copy.wait()
      }

      func remove() {
        for name in ["harness", "control"] {
          _ = folder.appending(BytePath(name)).withCString { unlink($0) }
        }
        _ = mountPoint.withCString { rmdir($0) }
        #expect(folder.withCString { rmdir($0) } == 0)
      }

      var isMounted: Bool { (try? MountTable.current().entry(at: mountPoint)) != nil }
    }

    private static let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"]

    private static func spawn(_ words: [BytePath], asNobody: Bool) throws -> ChildProcess {
      let all = asNobody ? ["/usr/bin/setpriv"] + nobody.map { BytePath($0) } + words : words
      return try ChildProcess.spawn(
        ChildProcess.Command(all[0], all.dropFirst().map(\.bytes)))
    }

    private static func run(_ words: [BytePath], asNobody: Bool = false) throws -> ChildProcess
      .ExitStatus?
    {
      var child = try spawn(words, asNobody: asNobody)
      return try child.wait(timeout: .seconds(20))
    }

    private static func shell(_ text: String, asNobody: Bool) throws -> ChildProcess.ExitStatus? {
      try run(["/bin/sh", "-c", BytePath(text)], asNobody: asNobody)
    }

    static var canActAsNobody: Bool {
      var status = stat()
      return getuid() == 0 && stat("/dev/fuse", &status) == 0 && status.st_mode & 0o006 == 0o006
        && access("/usr/bin/fusermount3", X_OK) == 0 && access("/usr/bin/setpriv", X_OK) == 0
    }

    private func serves(asNobody: Bool) throws {
      let place = try Place()
      var served = try Self.spawn(
        [place.harness, "mount", "ext4", "memory", place.mountPoint], asNobody: asNobody)
      #expect(eventually { place.isMounted })
      let point = place.mountPoint.escaped
      #expect(
        try Self.shell(
          "cd \(point) && echo hello > a && test \"$(cat a)\" = hello && mkdir d && mv a d/b && "
            + "test -O d/b && test \"$(ls d)\" = b && df . > /dev/null", asNobody: asNobody)
          == .exited(0))
      if asNobody {
        // Without allow_other not even root looks in.
        #expect(errno(of: { try PinnedDirectory.open(place.mountPoint) }) == .permissionDenied)
      }
      try served.kill(.interrupt)
      #expect(try served.wait(timeout: .seconds(10)) == .exited(0))
      #expect(!place.isMounted)
      place.remove()
    }

    @Test("It serves until Ctrl-C and unmounts cleanly")
    func serve() throws { try serves(asNobody: false) }

    @Test(
      "An ordinary user mounts, owns the files and unmounts",
      .enabled(if: MountVerb.canActAsNobody, "needs root, setpriv, fusermount3, /dev/fuse 0666"))
    func nobody() throws { try serves(asNobody: true) }

    /// Somebody's folder under the persona: its files are shown, changes land in it, and nothing
    /// else of it is touched.
    private func shows(asNobody: Bool) throws {
      let place = try Place()
      let backing = place.folder.appending("back")
      #expect(
        try Self.shell("mkdir \(backing) && echo mine > \(backing)/old", asNobody: asNobody)
          == .exited(0))
      var served = try Self.spawn(
        [place.harness, "mount", "exfat-linux", backing, place.mountPoint], asNobody: asNobody)
      #expect(eventually { place.isMounted })
      let work =
        "cd \(place.mountPoint) && test \"$(cat OLD)\" = mine && mkdir d && "
        + "dd if=/dev/urandom of=d/f bs=1M count=9 conv=fsync status=none && mv d/f d/g && "
        + "! ln d/g d/h 2> /dev/null && ! touch a:b 2> /dev/null && "
        + "cmp d/g \(backing)/d/g && test -O \(backing)/d/g"
      #expect(try Self.shell(work, asNobody: asNobody) == .exited(0))
      try served.kill(.interrupt)
      #expect(try served.wait(timeout: .seconds(10)) == .exited(0))
      #expect(try FileSystem.contents(of: backing.appending("old")) == Array("mine\n".utf8))
      #expect(
        try Self.shell(
          "cd \(backing) && rm d/g old && rmdir d && cd .. && rmdir back", asNobody: asNobody)
          == .exited(0), "nothing of our own is left in the folder")
      place.remove()
    }

    @Test("A folder is served under a persona, and everything lands in it")
    func backed() throws { try shows(asNobody: false) }

    @Test(
      "An ordinary user's folder is served under a persona",
      .enabled(if: MountVerb.canActAsNobody, "needs root, setpriv, fusermount3, /dev/fuse 0666"))
    func backedAsNobody() throws { try shows(asNobody: true) }

    @Test(
      "An ordinary user's mount that is stopped goes with its clients",
      .enabled(if: MountVerb.canActAsNobody, "needs root, setpriv, fusermount3, /dev/fuse 0666"))
    func nobodyStopped() throws {
      let place = try Place()
      var served = try Self.spawn(
        [place.harness, "mount", "ext4", "memory", place.mountPoint], asNobody: true)
      #expect(eventually { place.isMounted })
      var dd = try Self.spawn(
        ["/bin/dd", "if=/dev/zero", BytePath("of=\(place.mountPoint)/a"), "bs=1", "status=none"],
        asNobody: true)
      #expect(try dd.wait(timeout: .milliseconds(200)) == nil)
      Glibc.kill(served.pid, SIGSTOP)
      #expect(try dd.wait(timeout: .seconds(8)) == .exited(1))
      #expect(try served.wait(timeout: .seconds(5)) == .signalled(.kill))
      #expect(eventually { !place.isMounted })
      place.remove()
    }

    @Test(
      "A folder behind the mount shows its files, takes changes and keeps what nobody touched",
      arguments: [false, canActAsNobody])
    func backed(asNobody: Bool) throws {
      let place = try Place()
      let backing = place.folder.appending("backing")
      #expect(
        try Self.shell(
          "mkdir -m 777 \(backing) && cd \(backing) && mkdir sub && echo old > sub/a "
            + "&& ln -s sub/a link", asNobody: asNobody) == .exited(0))
      var served = try Self.spawn(
        [place.harness, "mount", "ext4", backing, place.mountPoint], asNobody: asNobody)
      #expect(eventually { place.isMounted })
      #expect(
        try Self.shell(
          "cd \(place.mountPoint) && test \"$(cat sub/a)\" = old && test \"$(cat link)\" = old "
            + "&& echo new > b && sync b && mv sub/a sub/c", asNobody: asNobody) == .exited(0))
      try served.kill(.interrupt)
      #expect(try served.wait(timeout: .seconds(10)) == .exited(0))
      #expect(
        try Self.shell(
          "cd \(backing) && test \"$(cat b)\" = new && test \"$(cat sub/c)\" = old "
            + "&& test ! -e sub/a && rm b sub/c link && rmdir sub && cd .. && rmdir backing",
          asNobody: asNobody) == .exited(0))
      place.remove()
    }

    @Test("Bad arguments and missing means are told apart by the exit code, and nothing is mounted")
    func refusals() throws {
      let place = try Place()
      let harness = place.harness
      #expect(try Self.run([harness, "mount", "extn4", "memory", place.mountPoint]) == .exited(2))
      let missing = place.folder.appending("nowhere")
      #expect(try Self.run([harness, "mount", "ext4", "memory", missing]) == .exited(2))
      #expect(try Self.run([harness, "mount", "ext4", "memory", harness]) == .exited(2))
      #expect(try Self.run([harness, "mount", "ext4", missing, place.mountPoint]) == .exited(2))
      #expect(
        try Self.run([harness, "mount", "ext4", place.mountPoint, place.mountPoint])
          == .exited(2))
      // In use.
      var served = try Self.spawn(
        [harness, "mount", "ext4", "memory", place.mountPoint], asNobody: false)
      #expect(eventually { place.isMounted })
      #expect(try Self.run([harness, "mount", "ext4", "memory", place.mountPoint]) == .exited(2))
      #expect(
        try Self.run([harness, "mount", "ext4", "memory", place.mountPoint.appending("x")])
          == .exited(2))
      try served.kill(.terminate)
      #expect(try served.wait(timeout: .seconds(10)) == .exited(0))
      #expect(!place.isMounted)
      place.remove()
    }

    @Test(
      "Without /dev/fuse it says so and exits 3",
      .enabled(if: getuid() == 0, "needs root for a namespace without the device"))
    func withoutDevice() throws {
      let place = try Place()
      let line =
        "mount -t tmpfs none /dev && exec \(place.harness) mount ext4 memory \(place.mountPoint)"
      #expect(
        try Self.run(
          ["/usr/bin/unshare", "-m", "--propagation", "private", "sh", "-c", BytePath(line)])
          == .exited(3))
      place.remove()
    }

    @Test("The control socket takes commands as JSON lines")
    func control() throws {
      let place = try Place()
      let socket = place.folder.appending("control")
      var served = try Self.spawn(
        [
          place.harness, "mount", "ext4", "memory", place.mountPoint, "--control", socket,
        ], asNobody: false)
      // The name is there a moment before it takes connections.
      #expect(eventually { errno(of: { try UnixSocket.connect(to: socket) }) == nil })
      var lines = LineReader(try UnixSocket.connect(to: socket))
      try lines.descriptor.sendAll(Array("{\"id\":1,\"verb\":\"eject\",\"volume\":\"dst\"}\n".utf8))
      #expect(try lines.next(timeout: .seconds(5)) == Array("{\"id\":1}".utf8))
      #expect(!place.isMounted)
      try lines.descriptor.sendAll(
        Array("nonsense\n{\"id\":2,\"verb\":\"insert\",\"volume\":\"dst\"}\n".utf8))
      let complaint = try #require(try lines.next(timeout: .seconds(5)))
      #expect(String(decoding: complaint, as: UTF8.self).contains("error"))
      #expect(try lines.next(timeout: .seconds(5)) == Array("{\"id\":2}".utf8))
      #expect(place.isMounted)
      try lines.descriptor.sendAll(Array("{\"id\":3,\"verb\":\"shutdown\"}\n".utf8))
      #expect(try served.wait(timeout: .seconds(10)) == .exited(0))
      #expect(access(socket.escaped, F_OK) != 0)
      #expect(!place.isMounted)
      place.remove()
    }
  }
}
