import Glibc
import SystemIO

/// One question to a file system: real system calls in a folder of its own, and a short answer that
/// is the same at every run.
struct Probe: Sendable {
  /// `idea: what is asked`; rows of docs/conformance.md name it.
  let name: String
  let observe: @Sendable (ProbeSite) throws -> String

  init(_ name: String, _ observe: @escaping @Sendable (ProbeSite) throws -> String) {
    self.name = name
    self.observe = observe
  }

  /// Every probe, for every pair.
  static let all =
    links + modes + names + lengths + letters + times + identity + renames + removals + syncs
    + space + calls
}

/// Where a probe works.
struct ProbeSite {
  /// An empty folder of the probe's own on the volume.
  let folder: BytePath
  /// Unmounts the volume and mounts it again; no descriptor may be open there.
  let remount: () throws -> Void

  func path(_ name: BytePath) -> BytePath { folder.appending(name) }

  // MARK: Answers

  /// What a call answers: `ok`, or the name of its errno.
  func answer(_ call: () -> CInt) -> String {
    call() < 0 ? Errno.current.name ?? "\(Errno.current.rawValue)" : "ok"
  }

  /// What a call on a name answers.
  func answer(_ name: BytePath, _ call: (UnsafePointer<CChar>) -> CInt) -> String {
    path(name).withCString { text in answer { call(text) } }
  }

  /// What a call on two names answers.
  func answer(
    _ name: BytePath, _ other: BytePath,
    _ call: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt
  ) -> String {
    path(name).withCString { first in
      path(other).withCString { second in answer { call(first, second) } }
    }
  }

  /// What open(2) answers; the descriptor is closed again.
  func opening(_ name: BytePath, _ flags: CInt) -> String {
    answer(name) { text in
      let descriptor = open(text, flags, 0o644)
      if descriptor >= 0 { close(descriptor) }
      return descriptor
    }
  }

  /// What creating a name that must be new answers.
  func creating(_ name: BytePath) -> String { opening(name, O_WRONLY | O_CREAT | O_EXCL) }

  func makingFolder(_ name: BytePath) -> String { answer(name) { mkdir($0, 0o755) } }

  // MARK: What must work, so that there is something to ask

  /// Opens a file, by default a new one; throws what open(2) answered.
  func file(_ name: BytePath, _ flags: CInt = O_RDWR | O_CREAT) throws -> FileDescriptor {
    let raw = path(name).withCString { open($0, flags | O_CLOEXEC, 0o644) }
    if raw < 0 { throw SystemError(call: "open", errno: .current, path: name) }
    return FileDescriptor(owning: raw, path: name)
  }

  /// Makes a file of some bytes.
  func make(_ name: BytePath, _ bytes: String = "hello") throws {
    let file = try file(name)
    try file.writeAll(Array(bytes.utf8))
    try file.close()
  }

  func write(_ text: String, to file: borrowing FileDescriptor, at offset: Int) throws {
    let count = text.utf8.count
    try must("pwrite", answer { CInt(pwrite(file.rawValue, text, count, offset)) })
  }

  func makeFolder(_ name: BytePath) throws { try must("mkdir", makingFolder(name)) }

  func rename(_ name: BytePath, _ other: BytePath) throws {
    try must("rename", answer(name, other) { Glibc.rename($0, $1) })
  }

  func must(_ call: String, _ answer: String) throws {
    if answer != "ok" { throw ProbeFailure(text: "\(call): \(answer)") }
  }

  func status(_ name: BytePath) throws -> stat {
    var status = stat()
    try must("stat", answer(name) { lstat($0, &status) })
    return status
  }

  func content(_ name: BytePath) throws -> String {
    String(decoding: try FileSystem.contents(of: path(name)), as: UTF8.self)
  }

  /// The names of a folder in the order of its listing; those that libfuse makes up are shortened.
  func listed(_ name: BytePath = "") throws -> [String] {
    let place = try FileSystem.resolve(name.bytes.isEmpty ? folder : path(name))
    return try PinnedDirectory.open(place).list().map { entry in
      entry.name.escaped.hasPrefix(".fuse_hidden") ? ".fuse_hidden*" : entry.name.escaped
    }
  }

  /// The names of a folder once the driver has heard that the last descriptor is closed: the kernel
  /// tells it later, and nobody waits.
  func settledNames() throws -> String {
    for _ in 0..<500 {
      if try !listed().contains(".fuse_hidden*") { break }
      usleep(10_000)
    }
    return try names()
  }

  /// The names of a folder, sorted.
  func names(_ name: BytePath = "") throws -> String {
    let names = try listed(name).sorted()
    return names.isEmpty ? "nothing" : names.joined(separator: " ")
  }
}

/// Why there was nothing to observe: no answer, but a failure of the test.
struct ProbeFailure: Error, CustomStringConvertible {
  let text: String
  var description: String { text }
}

extension BytePath {
  /// The bytes with a terminating NUL for the time of a call.
  func withCString<Value>(_ body: (UnsafePointer<CChar>) throws -> Value) rethrows -> Value {
    try (bytes + [0]).withUnsafeBufferPointer { buffer in
      try UnsafeRawBufferPointer(buffer).withMemoryRebound(to: CChar.self) { text in
        guard let base = text.baseAddress else { preconditionFailure("a NUL has an address") }
        return try body(base)
      }
    }
  }
}
