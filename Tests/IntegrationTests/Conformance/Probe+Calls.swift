import CLinuxShims
import Glibc
import SystemIO

extension Probe {
  /// Ways to reach the bytes that not every file system has.
  static let calls = [
    Probe("calls: O_DIRECT") { site in
      let file = try site.file("f", O_RDWR | O_CREAT | ls_o_direct)
      return withAligned { buffer in
        memset(buffer, 7, block)
        let written = site.answer { CInt(pwrite(file.rawValue, buffer, block, 0)) }
        memset(buffer, 0, block)
        let read = pread(file.rawValue, buffer, block, 0)
        let isRight = UnsafeRawBufferPointer(start: buffer, count: block).allSatisfy { $0 == 7 }
        return "write \(written), read \(read)\(isRight ? "" : " of other bytes")"
      }
    },
    Probe("calls: a shared mapping") { site in
      try site.make("f", "hello")
      let file = try site.file("f", O_RDWR)
      let map = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
      guard let map, map != UnsafeMutableRawPointer(bitPattern: -1) else {
        return site.answer { -1 }
      }
      map.storeBytes(of: UInt8(ascii: "J"), as: UInt8.self)
      let synced = site.answer { msync(map, 4096, MS_SYNC) }
      munmap(map, 4096)
      return "msync \(synced), \(try site.content("f"))"
    },
    Probe("calls: flock") { site in
      let file = try site.file("f")
      let other = try site.file("f")
      let first = site.answer { flock(file.rawValue, LOCK_EX | LOCK_NB) }
      return "\(first), \(site.answer { flock(other.rawValue, LOCK_EX | LOCK_NB) })"
    },
    Probe("calls: copy_file_range") { site in
      try site.make("f", "hello")
      let from = try site.file("f", O_RDONLY)
      let to = try site.file("g")
      let count = HiddenCalls.copyRange(from: from.rawValue, to: to.rawValue, count: 5)
      return count < 0 ? site.answer { -1 } : "\(count), \(try site.content("g"))"
    },
    Probe("calls: FICLONE") { site in
      try site.make("f", "hello")
      let from = try site.file("f", O_RDONLY)
      let to = try site.file("g")
      return site.answer { HiddenCalls.cloneFile(from: from.rawValue, to: to.rawValue) }
    },
    Probe("calls: O_TMPFILE") { site in
      site.opening("", O_RDWR | ls_o_directory | HiddenCalls.oTemporary)
    },
    Probe("calls: read at the end") { site in
      try site.make("f", "hello")
      let file = try site.file("f", O_RDONLY)
      var byte: UInt8 = 0
      return "\(pread(file.rawValue, &byte, 1, 5)), \(pread(file.rawValue, &byte, 1, 500_000))"
    },
    Probe("calls: content after a remount") { site in
      try site.make("f", "hello")
      try site.makeFolder("d")
      try site.make("d/g", "")
      try site.remount()
      return "\(try site.content("f")), \(try site.names()), \(try site.status("d/g").st_size)"
    },
    Probe("calls: 300 entries are listed once each") { site in
      for index in 0..<300 { try site.make(BytePath("entry with a longer name \(index)"), "") }
      let names = try site.listed()
      return "\(names.count), \(Set(names).count) of them different"
    },
  ]

  private static let block = 4096

  private static func withAligned(
    _ body: (UnsafeMutableRawPointer) -> String
  ) -> String {
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: block, alignment: block)
    defer { buffer.deallocate() }
    return body(buffer)
  }
}
