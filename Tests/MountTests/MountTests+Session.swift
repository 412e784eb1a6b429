import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  @Suite struct Session {
    @Test("50 mounts and unmounts leave no mount and no descriptor")
    func cycles() throws {
      let before = try fuseDescriptorCount()
      for _ in 0..<50 {
        let live = try LiveMount { OneFileVolume(bytes: Array("hello".utf8)) }
        let bytes = try FileSystem.contents(of: live.mountPoint.appending("file"))
        #expect(bytes == Array("hello".utf8))
        live.end()
      }
      #expect(Mounts.tagged().filter { $0.tag.pid == getpid() }.isEmpty)
      #expect(try fuseDescriptorCount() == before)
    }
  }
}

/// Descriptors of this process that are connections of FUSE.
func fuseDescriptorCount() throws -> Int {
  let folder = try PinnedDirectory.open(BytePath("/proc/\(getpid())/fd"))
  return try folder.list().filter { (try? folder.readLink($0.name)) == "/dev/fuse" }.count
}
