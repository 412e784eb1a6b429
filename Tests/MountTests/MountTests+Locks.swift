import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// Locks that the rig serves, beside those that the kernel plays on its own file system.
  @Suite struct Locks {
    /// A rig whose volumes get the locks.
    private static func served() throws -> (rig: RigFixture, place: BytePath) {
      let rig = try RigFixture()
      let script =
        RigProcess.plain.replacing(
          "  expect verified", with: "  delay lock dst:nobody for 1ms maybe\n  expect verified")
      let place = try #require(try rig.load(script)["dst"])
      return (rig, place)
    }

    private static func local() throws -> BytePath {
      let place = BytePath("/tmp/custody-lock-tests-\(getpid())-\(RandomID().text)")
      try FileSystem.makeDirectories(place)
      return place
    }

    private static let setOpenFile: CInt = 37
    private static let getOpenFile: CInt = 36

    private static func file(_ folder: BytePath) throws -> FileDescriptor {
      try FileDescriptor.open(folder.appending("f"), .readWrite, options: .create)
    }

    private static func answer(_ result: CInt) -> String {
      result < 0 ? Errno.current.name ?? "?" : "ok"
    }

    private static func range(
      _ file: borrowing FileDescriptor, _ command: CInt, _ type: CInt, _ range: Range<Int>
    ) -> String {
      var lock = flock()
      lock.l_type = Int16(type)
      lock.l_start = range.lowerBound
      lock.l_len = range.upperBound == .max ? 0 : range.count
      let result = answer(fcntl(file.rawValue, command, &lock))
      let asks = command == F_GETLK || command == getOpenFile
      if !asks || result != "ok" { return result }
      return lock.l_type == Int16(F_UNLCK)
        ? "free" : "\(lock.l_type) \(lock.l_start)+\(lock.l_len)"
    }

    /// What two open files of one process are answered, step by step.
    private static func talk(in folder: BytePath) throws -> [String] {
      var said: [String] = []
      let first = try file(folder)
      let second = try file(folder)
      func say(_ text: String) { said.append(text) }
      for (who, how) in [(1, LOCK_EX), (2, LOCK_EX), (2, LOCK_SH), (1, LOCK_SH), (2, LOCK_SH)] {
        say(answer(flock(who == 1 ? first.rawValue : second.rawValue, how | LOCK_NB)))
      }
      say(answer(flock(second.rawValue, LOCK_EX | LOCK_NB)))
      say(answer(flock(first.rawValue, LOCK_EX | LOCK_NB)))
      say(answer(flock(first.rawValue, LOCK_UN)))
      say(range(first, setOpenFile, F_WRLCK, 0..<100))
      say(range(second, setOpenFile, F_RDLCK, 50..<60))
      say(range(second, getOpenFile, F_RDLCK, 50..<60))
      say(range(first, setOpenFile, F_UNLCK, 40..<70))
      say(range(second, setOpenFile, F_WRLCK, 50..<60))
      say(range(first, getOpenFile, F_WRLCK, 45..<Int.max))
      say(range(second, setOpenFile, F_WRLCK, 50..<Int.max))
      say(range(second, setOpenFile, F_UNLCK, 0..<Int.max))
      say(range(first, setOpenFile, F_UNLCK, 0..<Int.max))
      // A process's own: any close of the file ends them.
      say(range(first, F_SETLK, F_WRLCK, 0..<Int.max))
      say(range(second, F_SETLK, F_WRLCK, 0..<10))
      say(range(second, setOpenFile, F_RDLCK, 0..<10))
      let third = try file(folder)
      try third.close()
      say(range(second, setOpenFile, F_RDLCK, 0..<10))
      say(range(second, setOpenFile, F_UNLCK, 0..<Int.max))
      return said
    }

    @Test("locks that the rig serves answer as the kernel's own")
    func same() throws {
      let (rig, place) = try Self.served()
      let local = try Self.local()
      defer {
        _ = local.appending("f").withCString { unlink($0) }
        _ = local.withCString { rmdir($0) }
      }
      let (ours, wanted) = (try Self.talk(in: place), try Self.talk(in: local))
      #expect(ours == wanted)
      #expect(Set(wanted).isSuperset(of: ["ok", "EAGAIN"]))
      let requests = try rig.client.trace().map(\.text)
      #expect(requests.contains { $0.hasPrefix("lock") })
      try rig.end()
    }

    @Test("a lock that waits is had when the other is given back, or its owner's file is closed")
    func waits() throws {
      let (rig, place) = try Self.served()
      for closes in [false, true] {
        let mine = try Self.file(place)
        #expect(Self.answer(flock(mine.rawValue, LOCK_EX | LOCK_NB)) == "ok")
        var other = try Self.waiting(place)
        #expect(try other.wait(timeout: .milliseconds(200)) == nil, "it waits")
        if closes {
          try mine.close()
        } else {
          #expect(flock(mine.rawValue, LOCK_UN) == 0)
        }
        #expect(try other.wait(timeout: .seconds(5)) == .exited(0))
      }
      try rig.end()
    }

    @Test("whoever waits for a lock can be killed, and holds nothing afterwards")
    func killed() throws {
      let (rig, place) = try Self.served()
      let mine = try Self.file(place)
      #expect(Self.answer(flock(mine.rawValue, LOCK_EX | LOCK_NB)) == "ok")
      var other = try Self.waiting(place)
      #expect(try other.wait(timeout: .milliseconds(200)) == nil)
      try other.kill(.kill)
      #expect(try other.wait(timeout: .seconds(5)) == .signalled(.kill))
      #expect(flock(mine.rawValue, LOCK_UN) == 0)
      let next = try Self.file(place)
      #expect(eventually { flock(next.rawValue, LOCK_EX | LOCK_NB) == 0 })
      try mine.close()
      try next.close()
      try rig.end()
    }

    private static func waiting(_ place: BytePath) throws -> ChildProcess {
      let command = ChildProcess.Command(
        "/usr/bin/flock", [place.appending("f").bytes, Array("/bin/true".utf8)],
        newProcessGroup: true)
      return try ChildProcess.spawn(command, descriptors: [])
    }
  }
}
