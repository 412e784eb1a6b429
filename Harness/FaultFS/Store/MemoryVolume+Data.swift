import FaultModel
import Glibc
import SystemIO

/// Bytes: read, written, cut, reserved and copied.
extension MemoryVolume {
  /// The largest buffer that one request makes.
  private static let largestTransfer = 1 << 24

  func read(_ id: NodeID, _ offset: UInt64, _ count: Int) throws(Errno) -> Reply {
    let node = try file(id)
    if persona.times.accessMoves != .never { moveAccess(node) }
    let wanted = min(count, Self.largestTransfer)
    let available = node.state.bytes.byteCount
    guard offset < available, wanted > 0 else {
      return .data(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    let buffer = scratch(Int(min(UInt64(wanted), available - offset)))
    if readsDurable {
      readMedium(node, buffer, at: offset)
    } else {
      node.state.bytes.read(buffer, at: offset)
    }
    return .data(UnsafeRawBufferPointer(buffer))
  }

  /// As Linux mounts move access times (relatime): once after each change, and daily. No change that
  /// a barrier would have to write.
  func moveAccess(_ node: Node) {
    let access = node.state.access
    let isOld = access <= max(node.state.modification, node.state.change)
    if !isReadOnly, isOld || now - access >= Self.day {
      node.state.access = times.access(now)
    }
  }

  private static let day: Int64 = 86_400_000_000_000

  private func readMedium(
    _ node: Node, _ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) {
    let held = node.durable?.bytes.read(buffer, at: offset) ?? 0
    if held < buffer.count, let base = buffer.baseAddress {
      memset(base + held, 0, buffer.count - held)
    }
  }

  func write(
    _ id: NodeID, _ offset: UInt64, _ data: UnsafeRawBufferPointer
  ) throws(Errno) -> Reply {
    let node = try file(id)
    if isReadOnly { throw .readOnly }
    if data.isEmpty { return .written(0) }
    let count = try room(for: data.count, at: offset, in: node)
    tick()
    let before = room(of: node)
    let size = node.state.bytes.byteCount
    if count > 0 {
      try put(UnsafeRawBufferPointer(rebasing: data[..<count]), at: offset, into: node)
    }
    if node.takesRoom { usedBlocks += room(of: node) - before }
    node.lost.remove(ByteRange(offset: offset, count: UInt64(count)))
    touchBytes(node)
    if count > 0 {
      recorder?.wrote(
        node, UnsafeRawBufferPointer(rebasing: data[..<count]), at: offset, over: size, group: now)
    }
    let isLate = persona.reportsLate && count < data.count
    if isLate { promise(offset + UInt64(data.count), of: node) }
    return .written(isLate ? data.count : count)
  }

  /// How many bytes of a write can be stored; 0 only where the error is told later.
  private func room(for count: Int, at offset: UInt64, in node: Node) throws(Errno) -> Int {
    do throws(Errno) {
      return try admit(count, at: offset, in: node)
    } catch {
      if persona.reportsLate, error == .noSpace { return 0 }
      throw error
    }
  }

  /// Bytes that found no room: the size counts them, the next fsync or close tells.
  private func promise(_ byteCount: UInt64, of node: Node) {
    node.lateError = .noSpace
    let size = node.state.bytes.byteCount
    guard byteCount > size else { return }
    node.state.bytes.truncate(to: byteCount)
    recorder?.resized(node, from: size, group: now)
  }

  /// Says once what an earlier write could not.
  func tellLate(_ node: Node) throws(Errno) {
    guard let error = node.lateError else { return }
    node.lateError = nil
    throw error
  }

  private func put(
    _ data: UnsafeRawBufferPointer, at offset: UInt64, into node: Node
  ) throws(Errno) {
    guard let file = node.backing else {
      node.state.bytes.write(data, at: offset)
      return
    }
    willChange(node, ByteRange(offset: offset, count: UInt64(data.count)))
    try backed { _ throws(SystemError) in try file.write(data, at: offset) }
    node.state.bytes.extend(to: offset + UInt64(data.count))
  }

  /// Saves for the durable layer what a change in a backing file would destroy.
  private func willChange(_ node: Node, _ range: ByteRange) {
    if node.backing != nil { node.durable?.bytes.keep(range) }
  }

  /// How many bytes of a write the persona and the free room let in.
  private func admit(_ count: Int, at offset: UInt64, in node: Node) throws(Errno) -> Int {
    var count = count
    if let limit = persona.largestFile {
      if offset >= limit { throw .fileTooLarge }
      count = Int(min(UInt64(count), limit - offset))
    }
    if persona.copiesOnWrite, freeBlocks == 0 { throw .noSpace }
    let end = offset.addingReportingOverflow(UInt64(count))
    if end.overflow || end.partialValue > UInt64(Int64.max) { throw .fileTooLarge }
    let asked = count
    if persona.isSparse {
      count = node.state.bytes.fitting(count, at: offset, free: freeBlocks)
    } else {
      let held = FileBytes.blocks(of: node.state.bytes.byteCount)
      let last = (held + freeBlocks) * UInt64(Page.blockByteCount)
      count = offset >= last ? 0 : Int(min(UInt64(count), last - offset))
    }
    if count == 0 || persona.writesWhole && count < asked { throw .noSpace }
    return count
  }

  /// Cuts or lengthens a file.
  func resize(_ node: Node, to byteCount: UInt64) throws(Errno) {
    if let limit = persona.largestFile, byteCount > limit { throw .fileTooLarge }
    if byteCount > UInt64(Int64.max) { throw .fileTooLarge }
    let before = room(of: node)
    if !persona.isSparse {
      let wanted = FileBytes.blocks(of: byteCount)
      if wanted > before, wanted - before > freeBlocks { throw .noSpace }
    }
    willChange(node, ByteRange(offset: byteCount, count: .max - byteCount))
    node.state.bytes.truncate(to: byteCount)
    if node.takesRoom { usedBlocks = usedBlocks + room(of: node) - before }
  }

  /// The same as a change that users see: it moves the times.
  func setSize(_ node: Node, to byteCount: UInt64) throws(Errno) {
    let size = node.state.bytes.byteCount
    try resize(node, to: byteCount)
    touchBytes(node)
    recorder?.resized(node, from: size, group: now)
  }

  func seek(_ id: NodeID, _ offset: UInt64, _ whence: Int32) throws(Errno) -> Reply {
    let node = try file(id)
    let bytes = node.state.bytes
    guard offset < bytes.byteCount else { throw Errno(rawValue: ENXIO) }
    switch whence {
    case Self.seekData:
      if !persona.isSparse || !persona.reportsHoles { return .offset(offset) }
      guard let data = bytes.next(hole: false, from: offset) else { throw Errno(rawValue: ENXIO) }
      return .offset(data)
    case Self.seekHole:
      if !persona.isSparse || !persona.reportsHoles { return .offset(bytes.byteCount) }
      return .offset(bytes.next(hole: true, from: offset) ?? bytes.byteCount)
    default: throw .invalid
    }
  }

  static let seekData: Int32 = 3
  static let seekHole: Int32 = 4
  private static let keepSize: Int32 = 1
  private static let punchHole: Int32 = 2
  private static let zeroRange: Int32 = 16

  func allocate(_ id: NodeID, _ mode: Int32, _ range: ByteRange) throws(Errno) -> Reply {
    let node = try file(id)
    if let error = persona.fallocateError { throw error }
    if isReadOnly { throw .readOnly }
    let end = range.offset.addingReportingOverflow(range.count)
    if end.overflow || end.partialValue > UInt64(Int64.max) { throw .fileTooLarge }
    if let limit = persona.largestFile, end.partialValue > limit { throw .fileTooLarge }
    let growth = max(node.state.bytes.byteCount, end.partialValue)
    let before = room(of: node)
    let size = node.state.bytes.byteCount
    willChange(node, range)
    switch mode {
    case 0, Self.keepSize:
      try reserve(node, range, size: mode == 0 ? growth : node.state.bytes.byteCount)
    case Self.punchHole | Self.keepSize:
      if !persona.isSparse { throw .notSupported }
      node.state.bytes.clear(range, deallocates: true)
    case Self.zeroRange, Self.zeroRange | Self.keepSize:
      node.state.bytes.clear(range, deallocates: false)
      try reserve(node, range, size: mode == Self.zeroRange ? growth : node.state.bytes.byteCount)
    default: throw .notSupported
    }
    tick()
    if node.takesRoom { usedBlocks = usedBlocks + room(of: node) - before }
    touchBytes(node)
    if mode & (Self.punchHole | Self.zeroRange) != 0 {
      recorder?.cleared(node, range, over: size, group: now)
    }
    if node.state.bytes.byteCount != size {
      recorder?.resized(node, from: size, group: now)
    }
    return .done
  }

  private func reserve(_ node: Node, _ range: ByteRange, size: UInt64) throws(Errno) {
    let grown = FileBytes.blocks(of: size)
    if persona.isSparse {
      if FileBytes.blocks(of: range.count) > capacityBlocks { throw .noSpace }
      let fits = node.state.bytes.fitting(Int(range.count), at: range.offset, free: freeBlocks)
      if fits < Int(range.count) { throw .noSpace }
      node.state.bytes.reserve(range)
    } else if grown > room(of: node), grown - room(of: node) > freeBlocks {
      throw .noSpace
    }
    if size > node.state.bytes.byteCount { node.state.bytes.truncate(to: size) }
  }

  func copy(
    _ source: NodeID, _ offset: UInt64, to target: NodeID, _ targetOffset: UInt64, _ count: UInt64
  ) throws(Errno) -> Reply {
    let from = try file(source)
    let wanted = Int(min(count, UInt64(Self.largestTransfer)))
    guard offset < from.state.bytes.byteCount, wanted > 0 else { return .written(0) }
    let buffer = scratch(wanted)
    let held = from.state.bytes.read(buffer, at: offset)
    return try write(target, targetOffset, UnsafeRawBufferPointer(rebasing: buffer[..<held]))
  }

  // MARK: Acts

  func overwrite(_ node: NodeID, at offset: UInt64, with data: UnsafeRawBufferPointer) {
    guard let node = find(node), node.kind == .file else { return }
    let before = room(of: node)
    let size = node.state.bytes.byteCount
    willChange(node, ByteRange(offset: offset, count: UInt64(data.count)))
    node.state.bytes.write(data, at: offset)
    if node.takesRoom { usedBlocks += room(of: node) - before }
    node.state.bytesVersion = nextVersion()
    node.isDirty = true
    recorder?.wrote(node, data, at: offset, over: size, group: now)
  }

  func bytes(of node: NodeID, at offset: UInt64, count: Int) -> [UInt8] {
    find(node)?.state.bytes.bytes(at: offset, count: count) ?? []
  }
}
