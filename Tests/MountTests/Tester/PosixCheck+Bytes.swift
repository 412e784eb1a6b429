import CLinuxShims
import Glibc
import SystemIO

extension PosixCheck {
  private static let temporaryFile: CInt = 0o20_200_000
  private static let (seekData, seekHole): (CInt, CInt) = (3, 4)

  /// What happens to bytes, sizes, times and attributes.
  static let bytes: [PosixCheck] = [
    PosixCheck("O_APPEND writes at the end, wherever the offset is and whoever else writes") {
      place in
      let first = place.file("a", O_WRONLY | O_CREAT | O_APPEND)
      let second = place.file("a", O_WRONLY | O_APPEND)
      for index in 0..<50 {
        place.expect(Glibc.write(first, "1234567\n", 8) == 8, "write")
        lseek(second, 0, SEEK_SET)
        place.expect(Glibc.write(second, "abcdefg\n", 8) == 8, "write \(index)")
      }
      place.expect(place.text("a") == String(repeating: "1234567\nabcdefg\n", count: 50), "bytes")
    },
    PosixCheck("appends of four processes at once lose nothing") { place in
      place.put("a", "")
      let writer = "for i in $(seq 100); do echo line-of-sixteen >> a; done"
      let work = "for j in 1 2 3 4; do (\(writer)) & done; wait"
      var command = ChildProcess.Command("/bin/sh", [Array("-c".utf8), Array(work.utf8)])
      command.workingDirectory = try? FileSystem.readLink(BytePath("/proc/self/fd/\(place.root)"))
      do {
        var child = try ChildProcess.spawn(command)
        place.expect(try child.wait() == .exited(0), "writers")
      } catch {
        place.expect(false, "\(error)")
      }
      place.expect(
        place.text("a") == String(repeating: "line-of-sixteen\n", count: 400), "400 lines")
    },
    PosixCheck("truncate cuts, lengthens with zeros, and what was cut never comes back") { place in
      place.put("a", String(repeating: "x", count: 10_000))
      let file = place.file("a", O_RDWR)
      place.expect(ftruncate(file, 4097) == 0 && place.status(file)?.st_size == 4097, "cut")
      place.expect(ftruncate(file, 9000) == 0 && place.status(file)?.st_size == 9000, "lengthen")
      let tail = place.bytes(file, at: 4097, count: 8192)
      place.expect(tail == [UInt8](repeating: 0, count: 9000 - 4097), "zeros")
      place.expect(place.bytes(file, at: 4096, count: 2) == [0x78, 0], "the last byte")
      let again = place.file("a", O_RDWR | O_TRUNC)
      place.expect(place.status(again)?.st_size == 0, "O_TRUNC")
      place.expect(place.bytes(file, at: 0, count: 10) == [], "empty for all")
      place.expect(EINVAL, from: Int(ftruncate(place.file("a", O_RDONLY), 1)), "read-only")
    },
    PosixCheck("a hole reads as zeros, takes no room, and is told by SEEK_HOLE in memory") {
      place in
      let file = place.file("a")
      place.expect(pwrite(file, "begin", 5, 0) == 5, "write")
      place.expect(pwrite(file, "end", 3, 1 << 30) == 3, "write behind a hole")
      place.expect(place.status(file)?.st_size == 1 << 30 + 3, "size")
      place.expect(place.bytes(file, at: 1 << 29, count: 4096)?.allSatisfy { $0 == 0 } == true, "0")
      place.expect(place.text(file, at: 1 << 30) == "end", "end")
      let hole = lseek(file, 0, seekHole)
      place.expect(hole == 4096 || hole == 65536 || hole == (1 << 30) + 3, "hole at \(hole)")
      place.expect(lseek(file, 0, seekData) == 0, "data")
      place.expect(ENXIO, from: lseek(file, (1 << 30) + 3, seekData), "behind the end")
    },
    PosixCheck("a shared mapping and read and write see the same bytes") { place in
      let file = place.file("a")
      place.put("a", String(repeating: "a", count: 12_288))
      guard let map = mmap(nil, 12_288, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
        map != MAP_FAILED
      else { return place.expect(false, "mmap") }
      defer { munmap(map, 12_288) }
      memset(map + 5000, 0x62, 10)
      place.expect(msync(map, 12_288, MS_SYNC) == 0, "msync")
      place.expect(place.text(file, at: 4999, count: 12) == "abbbbbbbbbba", "read after msync")
      place.expect(fsync(file) == 0, "fsync")
      place.expect(place.text("a")?.utf8.filter { $0 == 0x62 }.count == 10, "by its name")
    },
    PosixCheck("a private mapping never reaches the file") { place in
      place.put("a", String(repeating: "a", count: 8192))
      let file = place.file("a", O_RDONLY)
      guard let map = mmap(nil, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0),
        map != MAP_FAILED
      else { return place.expect(false, "mmap") }
      memset(map, 0x62, 100)
      munmap(map, 8192)
      place.expect(place.text("a") == String(repeating: "a", count: 8192), "bytes")
    },
    PosixCheck("O_TMPFILE is not offered, and says so without making anything") { place in
      place.expect(
        EOPNOTSUPP, from: Int(place.file(".", O_RDWR | temporaryFile)), "O_TMPFILE")
      place.expect(place.names().isEmpty, "nothing was made")
    },
    PosixCheck("times are kept to the nanosecond, and move when bytes do") { place in
      place.put("a", "a")
      let file = place.file("a")
      let wanted = [
        timespec(tv_sec: 1_234_567_890, tv_nsec: 123_456_789),
        timespec(tv_sec: 1_400_000_000, tv_nsec: 987_654_321),
      ]
      place.expect(futimens(file, wanted) == 0, "futimens")
      let status = place.status("a")
      place.expect(status?.st_atim.tv_nsec == 123_456_789, "access")
      place.expect(
        status?.st_mtim.tv_sec == 1_400_000_000 && status?.st_mtim.tv_nsec == 987_654_321, "change")
      place.expect(pwrite(file, "b", 1, 0) == 1, "write")
      place.expect(place.status("a")?.st_mtim.tv_sec ?? 0 > 1_400_000_000, "moved by a write")
      let folder = place.status(".")?.st_mtim
      place.put("b", "")
      let later = place.status(".")?.st_mtim
      place.expect(
        folder?.tv_sec != later?.tv_sec || folder?.tv_nsec != later?.tv_nsec, "the folder's")
    },
    PosixCheck("extended attributes are set, replaced, listed and removed") { place in
      let file = place.file("a")
      place.expect(ls_fsetxattr(file, "user.one", "value", 5) == 0, "set")
      place.expect(ls_fsetxattr(file, "user.one", "longer value", 12) == 0, "replace")
      var room = [UInt8](repeating: 0, count: 64)
      place.expect(ls_fgetxattr(file, "user.one", nil, 0) == 12, "size")
      place.expect(ERANGE, from: Int(ls_fgetxattr(file, "user.one", &room, 5)), "small room")
      place.expect(ls_fgetxattr(file, "user.one", &room, 64) == 12, "get")
      place.expect(Array(room.prefix(12)) == Array("longer value".utf8), "bytes")
      place.expect(ls_flistxattr(file, nil, 0) == 9, "list")
      place.expect(ls_fremovexattr(file, "user.one") == 0, "remove")
      place.expect(ENODATA, from: Int(ls_fgetxattr(file, "user.one", &room, 64)), "gone")
      place.expect(ENODATA, from: Int(ls_fremovexattr(file, "user.one")), "remove again")
    },
    PosixCheck("a thousand descriptors are open at once and each is its own file") { place in
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(7), &limit)
      if limit.rlim_cur < 2048 {
        limit.rlim_cur = min(limit.rlim_max, 4096)
        setrlimit(__rlimit_resource_t(7), &limit)
      }
      let files = (0..<1000).map { place.file("f\($0)") }
      place.expect(files.allSatisfy { $0 >= 0 }, "open")
      for (index, file) in files.enumerated() {
        let text = "content of \(index)"
        place.expect(Glibc.write(file, text, text.utf8.count) == text.utf8.count, "write")
      }
      for (index, file) in files.enumerated() {
        place.expect(place.text(file, at: 0, count: 64) == "content of \(index)", "read \(index)")
      }
    },
    PosixCheck("descriptors of one file see each other's writes, duplicates share an offset") {
      place in
      let (one, two) = (place.file("a"), place.file("a"))
      place.expect(Glibc.write(one, "hello", 5) == 5, "write")
      place.expect(place.text(two, at: 0) == "hello", "read by another")
      let copy = dup(one)
      place.expect(Glibc.write(copy, " you", 4) == 4, "write by the duplicate")
      close(copy)
      place.expect(place.text(two, at: 0) == "hello you", "behind what the first wrote")
    },
    PosixCheck("modes and permissions are kept, through chmod and umask") { place in
      let file = place.file("a", O_RDWR | O_CREAT, 0o640)
      place.expect(place.status(file).map { $0.st_mode & 0o7777 } == 0o640, "create")
      place.expect(fchmod(file, 0o4755) == 0, "chmod")
      place.expect(place.status("a").map { $0.st_mode & 0o7777 } == 0o4755, "chmod")
      place.expect(mkdirat(place.root, "d", 0o700) == 0, "mkdir")
      place.expect(place.status("d").map { $0.st_mode & 0o7777 } == 0o700, "mkdir")
    },
    PosixCheck("copy_file_range copies as many bytes as it says") { place in
      let text = String(repeating: "0123456789", count: 20_000)
      place.put("a", text)
      let (from, to) = (place.file("a", O_RDONLY), place.file("b"))
      let count = Int(ls_copy_file_range(from, to, 1 << 20))
      place.expect(count > 0 && count <= text.utf8.count, "\(count) bytes")
      place.expect(place.text("b") == String(text.prefix(count)), "bytes")
    },
    PosixCheck("allocated room reads as zeros, and the size follows") { place in
      let file = place.file("a")
      place.expect(posix_fallocate(file, 0, 100_000) == 0, "posix_fallocate")
      place.expect(place.status(file)?.st_size == 100_000, "size")
      place.expect(place.bytes(file, at: 0, count: 4096)?.allSatisfy { $0 == 0 } == true, "zeros")
      place.expect(pwrite(file, "x", 1, 50_000) == 1, "write")
      place.expect(place.bytes(file, at: 49_999, count: 3) == [0, 0x78, 0], "bytes")
    },
    PosixCheck("a fifo is one, and a socket") { place in
      place.expect(mkfifoat(place.root, "fifo", 0o600) == 0, "mkfifo")
      place.expect(place.status("fifo").map { $0.st_mode & S_IFMT == S_IFIFO } == true, "kind")
      let descriptor = place.file("fifo", O_RDWR | O_NONBLOCK)
      place.expect(Glibc.write(descriptor, "x", 1) == 1, "write")
      var byte: UInt8 = 0
      place.expect(Glibc.read(descriptor, &byte, 1) == 1 && byte == 0x78, "read")
    },
  ]
}
