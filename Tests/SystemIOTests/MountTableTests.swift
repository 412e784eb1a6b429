import Testing

@testable import SystemIO

@Suite struct MountTableTests {
  static let text = """
    22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
    23 22 0:21 / /proc rw,nosuid shared:5 master:2 - proc proc rw
    40 22 7:3 /sub /media/my\\040card\\011x\\012y\\134z ro,noatime - exfat /dev/loop3 rw,uid=0
    41 40 0:50 / /media/my\\040card\\011x\\012y\\134z rw - fuse.sshfs host:/a\\040b rw
    42 22 0:51 / /media rw - tmpfs tmpfs rw,size=4k
    broken line
    43 22 0:x / /bad rw - tmpfs tmpfs rw
    44 22 0:52 / /no-dash rw shared:1 tmpfs tmpfs rw

    """

  @Test("Every field is read, octal escapes are undone, broken lines are left out")
  func parsing() throws {
    let table = MountTable(parsing: Array(Self.text.utf8))
    #expect(table.entries.map(\.id) == [22, 23, 40, 41, 42])
    let card = try #require(table.entry(id: 40))
    #expect(card.mountPoint == "/media/my card\tx\ny\\z")
    #expect(card.root == "/sub")
    #expect(card.parent == 22)
    #expect((card.deviceMajor, card.deviceMinor) == (7, 3))
    #expect(card.type == "exfat")
    #expect(card.source == "/dev/loop3")
    #expect(card.options == ["ro", "noatime"])
    #expect(card.superOptions == ["rw", "uid=0"])
    #expect(card.isReadOnly)
    #expect(table.entry(id: 41)?.source == "host:/a b")
    #expect(table.entry(id: 22)?.isReadOnly == false)
  }

  @Test("A path lies in its deepest mount, by whole names, the last of equals on top")
  func containing() {
    let table = MountTable(parsing: Array(Self.text.utf8))
    #expect(table.entry(containing: "/media/my card\tx\ny\\z/DCIM")?.id == 41)
    #expect(table.entry(containing: "/media/other")?.id == 42)
    #expect(table.entry(containing: "/mediaother")?.id == 22)
    #expect(table.entry(containing: "/proc")?.id == 23)
    #expect(table.entry(at: "/media")?.id == 42)
    #expect(table.entry(at: "/media/none") == nil)
  }

  @Test("The live table holds the mount that statx names for a file")
  func live() throws {
    let scratch = try Scratch()
    let path = try FileSystem.resolve(scratch.path)
    let facts = try FileSystem.metadata(path, followingLinks: false)
    let id = try #require(facts.mountID)
    let entry = try #require(try MountTable.current().entry(id: id))
    #expect(path.components.starts(with: entry.mountPoint.components))
    #expect(try MountTable.current().entry(containing: path)?.id == entry.id)
  }
}
