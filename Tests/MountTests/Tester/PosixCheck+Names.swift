import CLinuxShims
import Glibc
import SystemIO

extension PosixCheck {
  private static let noReplace: UInt32 = 1
  private static let exchange: UInt32 = 2

  /// What happens to names.
  static let names: [PosixCheck] = [
    PosixCheck("O_EXCL makes a file or fails, also for a link that leads nowhere") { place in
      place.expect(place.file("a", O_WRONLY | O_CREAT | O_EXCL) >= 0, "a new one")
      place.expect(EEXIST, from: Int(place.file("a", O_WRONLY | O_CREAT | O_EXCL)), "again")
      place.expect(symlinkat("nowhere", place.root, "link") == 0, "symlink")
      place.expect(EEXIST, from: Int(place.file("link", O_WRONLY | O_CREAT | O_EXCL)), "a link")
      place.expect(!place.exists("nowhere"), "the link was followed")
    },
    PosixCheck("rename replaces at once: who had the old file open keeps it") { place in
      place.put("old", "old")
      place.put("new", "new")
      let held = place.file("old", O_RDONLY)
      place.expect(renameat(place.root, "new", place.root, "old") == 0, "rename")
      place.expect(place.text("old") == "new", "the name has the new bytes")
      place.expect(place.text(held, at: 0) == "old", "the descriptor has the old bytes")
      place.expect(place.status(held)?.st_nlink == 0, "the old file has no name")
      place.expect(!place.exists("new"), "the source name is gone")
    },
    PosixCheck("RENAME_NOREPLACE never replaces") { place in
      place.put("a", "a")
      place.put("b", "b")
      place.expect(
        EEXIST, from: Int(ls_renameat2(place.root, "a", place.root, "b", noReplace)), "onto b")
      place.expect(place.text("a") == "a" && place.text("b") == "b", "both are as before")
      place.expect(ls_renameat2(place.root, "a", place.root, "c", noReplace) == 0, "to c")
      place.expect(place.text("c") == "a" && !place.exists("a"), "moved")
    },
    PosixCheck("RENAME_EXCHANGE swaps files and folders") { place in
      place.put("a", "a")
      place.expect(mkdirat(place.root, "d", 0o755) == 0, "mkdir")
      place.put("d/inside", "x")
      let (file, folder) = (place.status("a")?.st_ino, place.status("d")?.st_ino)
      place.expect(ls_renameat2(place.root, "a", place.root, "d", exchange) == 0, "exchange")
      place.expect(place.status("d")?.st_ino == file, "d is the file")
      place.expect(place.status("a")?.st_ino == folder, "a is the folder")
      place.expect(place.text("a/inside") == "x", "what was inside came along")
      place.expect(
        ENOENT, from: Int(ls_renameat2(place.root, "a", place.root, "none", exchange)), "no target")
    },
    PosixCheck("rename of folders: full, inside itself, onto a file") { place in
      for name in ["d", "d/sub", "full", "empty"] { mkdirat(place.root, name, 0o755) }
      place.put("full/x", "x")
      place.put("f", "f")
      place.expect(EINVAL, from: Int(renameat(place.root, "d", place.root, "d/sub/d")), "inside")
      place.expect(renameat(place.root, "d", place.root, "full") == -1, "onto a full one")
      place.expect(errno == ENOTEMPTY || errno == EEXIST, "onto a full one")
      place.expect(ENOTDIR, from: Int(renameat(place.root, "d", place.root, "f")), "onto a file")
      place.expect(EISDIR, from: Int(renameat(place.root, "f", place.root, "d")), "file onto it")
      place.expect(renameat(place.root, "d", place.root, "empty") == 0, "onto an empty one")
      place.expect(place.exists("empty/sub") && !place.exists("d"), "moved")
    },
    PosixCheck("rename of a name onto another of the same file does nothing") { place in
      place.put("a", "a")
      place.expect(linkat(place.root, "a", place.root, "b", 0) == 0, "link")
      place.expect(renameat(place.root, "a", place.root, "b") == 0, "rename")
      place.expect(place.exists("a") && place.status("b")?.st_nlink == 2, "both names are there")
    },
    PosixCheck("links share bytes and counts, and never replace") { place in
      place.put("a", "one")
      place.expect(linkat(place.root, "a", place.root, "b", 0) == 0, "link")
      place.expect(EEXIST, from: Int(linkat(place.root, "a", place.root, "b", 0)), "again")
      place.expect(place.status("a")?.st_nlink == 2, "count")
      place.expect(place.status("a")?.st_ino == place.status("b")?.st_ino, "one inode")
      place.put("b", "other")
      place.expect(place.text("a") == "other", "one content")
      place.expect(unlinkat(place.root, "a", 0) == 0, "unlink")
      place.expect(place.status("b")?.st_nlink == 1 && place.text("b") == "other", "one is left")
      mkdirat(place.root, "d", 0o755)
      place.expect(EPERM, from: Int(linkat(place.root, "d", place.root, "e", 0)), "a folder")
    },
    PosixCheck("a link from an open descriptor is a link of that file, not of its name") { place in
      place.put("a", "right")
      let held = place.file("a", O_RDWR)
      place.put("other", "wrong")
      place.expect(renameat(place.root, "a", place.root, "kept") == 0, "rename")
      place.expect(renameat(place.root, "other", place.root, "a") == 0, "rename")
      place.expect(ls_link_descriptor(held, place.root, "b") == 0, "link")
      place.expect(place.text("b") == "right", "bytes")
    },
    PosixCheck("an unlinked file lives until its last descriptor is closed") { place in
      place.put("a", "before")
      let held = place.file("a", O_RDWR)
      place.expect(unlinkat(place.root, "a", 0) == 0, "unlink")
      place.expect(place.status(held)?.st_nlink == 0, "no name")
      place.expect(pwrite(held, "AFTER", 5, 6) == 5, "write")
      place.expect(place.text(held, at: 0) == "beforeAFTER", "read")
      place.put("a", "new")
      place.expect(place.text(held, at: 0) == "beforeAFTER", "a new one of the name is another")
      place.expect(ftruncate(held, 3) == 0 && place.status(held)?.st_size == 3, "truncate")
    },
    PosixCheck("rmdir wants an empty folder, unlink no folder") { place in
      mkdirat(place.root, "d", 0o755)
      place.put("d/x", "x")
      place.expect(unlinkat(place.root, "d", AT_REMOVEDIR) == -1, "full")
      place.expect(errno == ENOTEMPTY, "full")
      place.expect(EISDIR, from: Int(unlinkat(place.root, "d", 0)), "unlink")
      place.expect(ENOTDIR, from: Int(unlinkat(place.root, "d/x", AT_REMOVEDIR)), "rmdir")
      place.expect(unlinkat(place.root, "d/x", 0) == 0, "empty it")
      place.expect(unlinkat(place.root, "d", AT_REMOVEDIR) == 0 && !place.exists("d"), "gone")
    },
    PosixCheck("a listing under change shows what stays exactly once") { place in
      mkdirat(place.root, "d", 0o755)
      for index in 0..<250 { place.put("d/stays-\(index)", "") }
      for index in 0..<100 { place.put("d/goes-\(index)", "") }
      let descriptor = openat(place.root, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard let stream = fdopendir(descriptor) else { return place.expect(false, "fdopendir") }
      defer { closedir(stream) }
      var seen: [String: Int] = [:]
      var index = 0
      while let entry = readdir(stream) {
        seen[PosixPlace.name(entry), default: 0] += 1
        if index < 100 {
          place.expect(unlinkat(place.root, "d/goes-\(index)", 0) == 0, "unlink")
          place.put("d/comes-\(index)", "")
          index += 1
        }
      }
      place.expect((0..<250).allSatisfy { seen["stays-\($0)"] == 1 }, "each once")
      place.expect(seen.values.allSatisfy { $0 == 1 }, "nothing twice")
    },
    PosixCheck("a listing is whole after four hundred names came and half went") { place in
      for index in 0..<400 { place.put("n\(index)", "") }
      for index in stride(from: 0, to: 400, by: 2) { unlinkat(place.root, "n\(index)", 0) }
      let wanted = Set(stride(from: 1, to: 400, by: 2).map { "n\($0)" })
      place.expect(place.names() == wanted, "names")
    },
    PosixCheck("names of 255 bytes are kept, longer ones refused; a path may be long") { place in
      let long = String(repeating: "n", count: 255)
      place.put(long, "long")
      place.expect(place.text(long) == "long" && place.names() == [long], "255")
      place.expect(ENAMETOOLONG, from: Int(place.file(long + "n")), "256")
      place.expect(ENAMETOOLONG, from: Int(mkdirat(place.root, long + "n", 0o755)), "256")
      place.expect(unlinkat(place.root, long, 0) == 0, "unlink")
      let folder = String(repeating: "d", count: 200)
      var path = folder
      for _ in 0..<15 {
        place.expect(mkdirat(place.root, path, 0o755) == 0, "mkdir")
        path += "/" + folder
      }
      place.expect(path.utf8.count > 3000, "long")
      place.put(path, "deep")
      place.expect(place.text(path) == "deep", "deep")
    },
    PosixCheck("names are bytes: no encoding, blanks, line feeds and what a shell would take") {
      place in
      let names: [[UInt8]] = [
        [0xff, 0xfe], [0xc3], [0x0a], [0x20], Array("a\nb".utf8), Array("*?\"'\\".utf8), [0x7f],
        [0x01], Array("Ä".utf8), [0x41, 0xcc, 0x88], Array("-rf".utf8),
      ]
      for name in names {
        let text = name.map { CChar(bitPattern: $0) } + [0]
        let made = openat(place.root, text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        place.expect(made >= 0, "\(name)")
        place.expect(Glibc.write(made, text, name.count) == name.count, "write")
        close(made)
      }
      guard let stream = fdopendir(openat(place.root, ".", O_RDONLY | O_DIRECTORY)) else {
        return place.expect(false, "fdopendir")
      }
      defer { closedir(stream) }
      var listed: Set<[UInt8]> = []
      while let entry = readdir(stream) {
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          _ = listed.insert(Array(bytes.prefix { $0 != 0 }))
        }
      }
      place.expect(listed.subtracting([[0x2e], [0x2e, 0x2e]]) == Set(names), "listed")
    },
    PosixCheck("symbolic links are kept as they are written") { place in
      place.put("target", "bytes")
      let far = String(repeating: "x/", count: 1500)
      place.expect(symlinkat("target", place.root, "near") == 0, "symlink")
      place.expect(symlinkat(far, place.root, "far") == 0, "symlink")
      place.expect(place.text("near") == "bytes", "followed")
      var room = [UInt8](repeating: 0, count: 4096)
      let count: Int = room.withUnsafeMutableBytes {
        guard let base = $0.bindMemory(to: CChar.self).baseAddress else { return 0 }
        return readlinkat(place.root, "far", base, 4096)
      }
      place.expect(Array(room.prefix(max(0, count))) == Array(far.utf8), "text")
      let status = place.status("near")
      place.expect(status.map { $0.st_mode & S_IFMT == S_IFLNK } == true, "kind")
      place.expect(
        ELOOP, from: Int(place.file("near", O_RDONLY | O_NOFOLLOW)), "O_NOFOLLOW")
    },
  ]
}
