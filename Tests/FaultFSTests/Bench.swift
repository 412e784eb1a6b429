import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

/// A store driven by requests, as the session layer would, in short words for tests.
final class Bench {
  let served: any Served
  private var unique: UInt64 = 0
  /// Called after each answer, as the loop does what effects asked for.
  var afterwards: () -> Void = {}

  init(_ served: any Served) {
    self.served = served
  }

  func ask(_ call: Request.Call) -> Reply {
    unique += 1
    defer { afterwards() }
    switch served.serve(Request(unique: unique, thread: 1, call: call)) {
    case .reply(let reply): return reply
    case .hold: return .nothing
    }
  }

  func settlement(_ call: Request.Call) -> Settlement {
    unique += 1
    return served.serve(Request(unique: unique, thread: 1, call: call))
  }

  // MARK: Names

  func node(_ path: BytePath) -> NodeID? {
    var current = MemoryVolume.rootID
    for name in path.components {
      guard case .entry(let found) = ask(.lookup(parent: current, name: name)) else { return nil }
      current = found.node
    }
    return current
  }

  func parent(_ path: BytePath) -> NodeID {
    path.parent.flatMap { node($0) } ?? MemoryVolume.rootID
  }

  func error(_ call: Request.Call) -> Errno? {
    if case .error(let error) = ask(call) { error } else { nil }
  }

  struct Opened {
    let node: NodeID
    let handle: HandleID
  }

  func create(_ path: BytePath, flags: Int32 = O_WRONLY | O_EXCL | O_CREAT) -> Opened? {
    let call = Request.Call.create(
      parent: parent(path), name: path.lastComponent, mode: 0o100_644, flags: flags)
    guard case .created(let attributes, let handle) = ask(call) else { return nil }
    return Opened(node: attributes.node, handle: handle)
  }

  func open(_ path: BytePath, flags: Int32 = O_RDONLY) -> Opened? {
    guard let node = node(path), case .opened(let handle) = ask(.open(node, flags: flags)) else {
      return nil
    }
    return Opened(node: node, handle: handle)
  }

  @discardableResult
  func mkdir(_ path: BytePath) -> Errno? {
    error(.mkdir(parent: parent(path), name: path.lastComponent, mode: 0o755))
  }

  func unlink(_ path: BytePath) -> Errno? {
    error(.unlink(parent: parent(path), name: path.lastComponent))
  }

  func rename(_ path: BytePath, _ to: BytePath, flags: UInt32 = 0) -> Errno? {
    error(
      .rename(
        parent: parent(path), name: path.lastComponent, newParent: parent(to),
        newName: to.lastComponent, flags: flags))
  }

  func link(_ node: NodeID, _ path: BytePath) -> Errno? {
    error(.link(node, newParent: parent(path), newName: path.lastComponent))
  }

  func attributes(_ node: NodeID) -> Attributes? {
    if case .attributes(let found) = ask(.getattr(node, handle: nil)) { found } else { nil }
  }

  func list(_ path: BytePath = "", bufferByteCount: Int = 4096) -> [String] {
    guard let folder = node(path), case .opened(let handle) = ask(.opendir(folder)) else {
      return []
    }
    var names: [String] = []
    var offset: UInt64 = 0
    while case .listing(let entries) = ask(
      .readdir(folder, handle, offset: offset, count: bufferByteCount)), let last = entries.last
    {
      names += entries.map { $0.name.escaped }
      offset = last.nextOffset
    }
    _ = ask(.releasedir(folder, handle))
    return names.filter { $0 != "." && $0 != ".." }
  }

  // MARK: Bytes

  enum Written: Equatable {
    case count(Int)
    case failed(Errno)
    case held
  }

  @discardableResult
  func write(_ file: Opened, _ data: [UInt8], at offset: UInt64) -> Written {
    data.withUnsafeBytes { bytes in
      switch ask(.write(file.node, file.handle, offset: offset, data: bytes)) {
      case .written(let count): .count(count)
      case .error(let error): .failed(error)
      default: .held
      }
    }
  }

  func read(_ file: Opened, at offset: UInt64, _ count: Int) -> [UInt8]? {
    if case .data(let bytes) = ask(.read(file.node, file.handle, offset: offset, count: count)) {
      Array(bytes)
    } else {
      nil
    }
  }

  func fsync(_ file: Opened) -> Errno? { error(.fsync(file.node, file.handle, dataOnly: false)) }

  func close(_ file: Opened) -> Errno? {
    let failure = error(.flush(file.node, file.handle))
    _ = ask(.release(file.node, file.handle))
    return failure
  }

  func fsyncFolder(_ path: BytePath) -> Errno? {
    guard let folder = node(path), case .opened(let handle) = ask(.opendir(folder)) else {
      return .noSuchFile
    }
    defer { _ = ask(.releasedir(folder, handle)) }
    return error(.fsyncdir(folder, handle))
  }

  /// Creates, writes in chunks, syncs and closes.
  func put(_ path: BytePath, _ data: [UInt8], chunk: Int = 1 << 20) -> Opened? {
    guard let file = create(path) else { return nil }
    var offset = 0
    while offset < data.count {
      let part = Array(data[offset..<min(offset + chunk, data.count)])
      guard case .count(let count) = write(file, part, at: UInt64(offset)), count > 0 else {
        return nil
      }
      offset += count
    }
    return fsync(file) == nil && close(file) == nil ? file : nil
  }
}

extension Persona {
  /// A persona of its own for a test; `change` sets what matters.
  static func plain(
    _ barriers: Barriers = .weak, _ change: (inout Persona) -> Void = { _ in }
  ) -> Persona {
    var persona = Persona(
      name: "plain", summary: "for tests", barriers: barriers,
      facts: Facts(type: "ext4", bestLevel: "evicted"))
    change(&persona)
    return persona
  }
}

func sampleContent(_ number: UInt64, _ byteCount: UInt64) -> Content {
  Content(key: Content.Key(high: 1, low: number), byteCount: byteCount)
}

func sampleBytes(_ number: UInt64, _ byteCount: Int) -> [UInt8] {
  sampleContent(number, UInt64(byteCount)).bytes(at: 0, count: byteCount)
}
