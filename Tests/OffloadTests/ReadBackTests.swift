import Hashing
import SystemIO
import Testing

@testable import Offload

/// A copy that changes under its reader (offload contract 74, 80).
@Suite struct ReadBackTests {
  enum Change: String, CaseIterable, CustomTestStringConvertible {
    case none, grown, cut, rewritten
    var testDescription: String { rawValue }
  }

  private static let bytes = Tree.bytes(seed: 1, count: 9000)

  private func apply(_ change: Change, _ path: BytePath) throws {
    let file = try FileDescriptor.open(path, .writeOnly)
    switch change {
    case .none: break
    case .grown: try write(7, to: file, at: Int64(Self.bytes.count))
    case .cut: try file.truncate(to: 5000)
    // Bytes that were read already: no digest can tell.
    case .rewritten: try write(Self.bytes[0] ^ 1, to: file, at: 0)
    }
    try file.close()
  }

  private func write(
    _ byte: UInt8, to file: borrowing FileDescriptor, at offset: Int64
  ) throws {
    try withUnsafeBytes(of: byte) { try file.writeAll($0, at: offset) }
  }

  @Test(
    "offload 74, 80: a copy that changes while it is read back fails, and has no digest",
    arguments: Change.allCases, [VerificationLevel.evicted, .direct])
  func changes(change: Change, level: VerificationLevel) throws {
    let stage = try Stage(level: level)
    try stage.card.file("clip.mov", Self.bytes)
    let copy = try stage.copy()
    copy.prepare()
    Self.bytes.withUnsafeBytes { copy.write($0, at: 0) }
    copy.complete()
    copy.sync()
    copy.openForReadBack()
    copy.evict()
    #expect(copy.isAlive)
    #expect(copy.level == level)
    let place = stage.destination.root.appending(copy.currentName)
    let sink = try ReadBackSink(
      copy, [.sha256], buffer: AlignedBuffer(byteCount: 4096), comparesBytes: false)
    var reads = 0
    sink.readAlone(
      progress: { _ in
        if reads == 0 { #expect(throws: Never.self) { try apply(change, place) } }
        reads += 1
      }, isCancelled: { false })
    #expect(reads >= 1)
    if change == .none {
      #expect(sink.digests == (try Digests.of(Self.bytes, [.sha256])))
      #expect(copy.failure == nil)
    } else {
      #expect(sink.digests == nil)
      #expect(copy.hasReadError)
      #expect(copy.failure?.outcome == .failed)
      // A direct read takes the whole last block, and sees at once what follows the last byte.
      let isShort = change == .cut || (change == .grown && level == .direct)
      let cause = isShort ? "another length" : "changed while it was read back"
      #expect(copy.failure?.cause.contains(cause) == true, "\(copy.failure?.cause ?? "")")
    }
  }
}
