import FaultModel
import SystemIO
import Testing

@testable import FaultFS

@Suite("Bytes of a file")
struct FileBytesTests {
  /// A small generator, so that a failure names its seed.
  private struct Dice {
    var state: UInt64
    mutating func roll(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(limit))
    }
  }

  @Test("Random writes, cuts, holes and restores agree with a plain array", arguments: 1...6)
  func model(seed: UInt64) {
    var dice = Dice(state: seed)
    let recipe = sampleContent(seed, UInt64(dice.roll(400_000)))
    var bytes = FileBytes(recipe)
    var model = recipe.bytes(at: 0, count: Int(recipe.byteCount))
    var kept = bytes
    var keptModel = model
    var log: [(bytes: SharedBytes, data: [UInt8])] = []
    for step in 0..<60 {
      let offset = dice.roll(420_000)
      let count = dice.roll(150_000)
      let range = ByteRange(offset: UInt64(offset), count: UInt64(count))
      switch dice.roll(8) {
      case 0, 1:
        let data = sampleBytes(seed &* 1000 + UInt64(step), count)
        data.withUnsafeBytes {
          bytes.write($0, at: UInt64(offset))
          log.append((bytes.shared($0, at: UInt64(offset)), data))
        }
        if count > 0 {
          grow(&model, offset + count)
          model.replaceSubrange(offset..<offset + count, with: data)
        }
      case 2:
        bytes.truncate(to: UInt64(offset))
        model = Array(model.prefix(offset))
        grow(&model, offset)
      case 3:
        bytes.clear(range, deallocates: dice.roll(2) == 0)
        for index in offset..<min(offset + count, max(offset, model.count)) { model[index] = 0 }
      case 4:
        bytes.restore(range, from: kept)
        for index in offset..<min(offset + count, max(offset, model.count)) {
          model[index] = index < keptModel.count ? keptModel[index] : 0
        }
      case 5, 6:
        // What was logged is laid over the file again, to its end or less.
        guard !log.isEmpty else { break }
        let (logged, data) = log[dice.roll(log.count)]
        let part = dice.roll(2) == 0 ? data.count : dice.roll(data.count + 1)
        bytes.lay(logged, count: part)
        let start = Int(logged.offset)
        if part > 0 {
          grow(&model, start + part)
          model.replaceSubrange(start..<start + part, with: data[..<part])
        }
      default:
        kept = bytes
        keptModel = model
      }
      #expect(bytes.byteCount == UInt64(model.count))
      #expect(bytes.bytes(at: 0, count: model.count) == model, "seed \(seed) step \(step)")
      #expect(kept.bytes(at: 0, count: keptModel.count) == keptModel, "layers share bytes")
      #expect(bytes.blocks == allocated(bytes), "seed \(seed) step \(step)")
    }
  }

  @Test("Whole pages of what is logged are the file's own until it writes there again")
  func shares() throws {
    var bytes = FileBytes()
    let data = sampleBytes(9, 4 * Page.byteCount)
    let log = data.withUnsafeBytes { raw in
      bytes.write(raw, at: UInt64(Page.byteCount))
      return bytes.shared(raw, at: UInt64(Page.byteCount))
    }
    var other = FileBytes()
    other.lay(log, count: data.count)
    #expect((1...4).allSatisfy { other.page($0) != nil && other.page($0) === bytes.page($0) })
    [UInt8(1)].withUnsafeBytes { bytes.write($0, at: UInt64(Page.byteCount) + 5) }
    #expect(other.page(1) !== bytes.page(1) && other.page(2) === bytes.page(2))
    #expect(other.bytes(at: UInt64(Page.byteCount), count: data.count) == data)
  }

  private func grow(_ model: inout [UInt8], _ count: Int) {
    if model.count < count { model += [UInt8](repeating: 0, count: count - model.count) }
  }

  /// Blocks counted one by one through SEEK_DATA and SEEK_HOLE.
  private func allocated(_ bytes: FileBytes) -> UInt64 {
    var blocks: UInt64 = 0
    var offset: UInt64 = 0
    while let data = bytes.next(hole: false, from: offset) {
      let hole = bytes.next(hole: true, from: data) ?? bytes.byteCount
      blocks += FileBytes.blocks(of: hole) - data / 4096
      offset = hole
    }
    return blocks
  }

  @Test("A write takes only the blocks that are new, and stops where room ends")
  func fitting() {
    var bytes = FileBytes(sampleContent(1, 10_000))
    #expect(bytes.blocks == 3)
    #expect(bytes.fitting(20_000, at: 0, free: 0) == 12_288)
    #expect(bytes.fitting(20_000, at: 0, free: 1) == 16_384)
    #expect(bytes.fitting(20_000, at: 0, free: 2) == 20_000)
    bytes.truncate(to: 1 << 40)
    #expect(bytes.next(hole: false, from: 1 << 20) == nil)
    #expect(bytes.fitting(10, at: 1 << 30, free: 1) == 10)
  }
}
