import FaultModel
import Glibc
import SystemIO

/// Finds the source file that holds given bytes at a given offset, among thousands, in
/// microseconds.
///
/// Sources count as planned, as they stand now when somebody changed them, and as they were last
/// served where a read was spoilt: a subject may have got any of these.
final class SourceIndex {
  struct File {
    let path: BytePath
    let content: Content
  }

  let tree: PlannedTree
  let files: [File]
  private let byPath: [BytePath: Int]
  /// For an offset: the first bytes there of each file that is long enough.
  private var words: [UInt64: [UInt64: [Int]]] = [:]
  /// The last reads of sources: what is written was mostly read a moment ago.
  private var recent: [(file: Int, range: Range<UInt64>)] = []
  private var nextRecent = 0
  /// Other bytes than planned, by file.
  private var variants: [Int: [Variant]] = [:]
  private var variantByteCount = 0

  private struct Variant {
    let offset: UInt64
    let bytes: [UInt8]
  }

  private static let comparedByteCount = 64
  private static let recentLimit = 32
  private static let offsetLimit = 128
  /// A shorter piece than this proves nothing unless it is the end of a file.
  private static let leastByteCount = 8
  private static let variantLimit = 16 << 20

  init(_ tree: PlannedTree) {
    var files: [File] = []
    var byPath: [BytePath: Int] = [:]
    for path in tree.paths {
      guard let entry = tree.entries[path], entry.kind == .file else { continue }
      byPath[path] = files.count
      let content = entry.content ?? Content(key: Content.Key(high: 0, low: 0), byteCount: 0)
      files.append(File(path: path, content: content))
    }
    self.tree = tree
    self.files = files
    self.byPath = byPath
  }

  /// Forgets what was served; what follows from the tree alone stays.
  func forget() {
    recent.removeAll(keepingCapacity: true)
    nextRecent = 0
    variants = [:]
    variantByteCount = 0
  }

  func index(of path: BytePath) -> Int? { byPath[path] }

  var totalByteCount: UInt64 { files.reduce(0) { $0 + $1.content.byteCount } }

  /// The files whose path fits.
  func indexes(_ name: Target.ContentName) -> Set<Int> {
    switch name {
    case .path(let path): byPath[path].map { [$0] } ?? []
    case .glob: Set(files.indices.filter { name.matches(files[$0].path) })
    }
  }

  // MARK: What was served

  func wasRead(_ file: Int, _ range: Range<UInt64>) {
    if recent.count < Self.recentLimit {
      recent.append((file, range))
    } else {
      recent[nextRecent] = (file, range)
      nextRecent = (nextRecent + 1) % Self.recentLimit
    }
  }

  /// These bytes, and not the planned ones, were served or stand at the offset.
  func differs(_ file: Int, at offset: UInt64, _ bytes: [UInt8]) {
    if variantByteCount + bytes.count > Self.variantLimit {
      variants = [:]
      variantByteCount = 0
    }
    variantByteCount += bytes.count
    variants[file, default: []].append(Variant(offset: offset, bytes: bytes))
  }

  // MARK: Finding

  /// The files that hold these bytes at this offset. `named` is tried first.
  func find(_ data: UnsafeRawBufferPointer, at offset: UInt64, named: Int?) -> [Int] {
    if let named, holds(named, data, offset) { return [named] }
    for age in 1...max(1, recent.count) where !recent.isEmpty {
      let read = recent[(nextRecent - age + recent.count * 2) % recent.count]
      guard read.range.contains(offset) else { continue }
      // A twin cannot be told from it by a piece alone, so the index has the last word.
      if holds(read.file, data, offset), read.range.upperBound - offset >= UInt64(data.count) {
        return candidates(data, offset, including: read.file)
      }
    }
    return candidates(data, offset, including: nil)
  }

  private func candidates(
    _ data: UnsafeRawBufferPointer, _ offset: UInt64, including known: Int?
  ) -> [Int] {
    var found = Set(known.map { [$0] } ?? [])
    if known == nil || words[offset] != nil {
      let held = words(at: offset)[Self.word(data, data.count)] ?? []
      for file in held where holds(file, data, offset) { found.insert(file) }
      if found.isEmpty {
        for file in variants.keys where holds(file, data, offset) { found.insert(file) }
      }
    }
    return found.sorted()
  }

  private func words(at offset: UInt64) -> [UInt64: [Int]] {
    if let known = words[offset] { return known }
    if words.count >= Self.offsetLimit { words = [:] }
    var made: [UInt64: [Int]] = [:]
    var room = [UInt8](repeating: 0, count: 8)
    for (index, file) in files.enumerated() where file.content.byteCount > offset {
      let word = room.withUnsafeMutableBytes { bytes in
        let count = file.content.fill(bytes, at: offset)
        return Self.word(UnsafeRawBufferPointer(bytes), count)
      }
      made[word, default: []].append(index)
    }
    words[offset] = made
    return made
  }

  private static func word(_ data: UnsafeRawBufferPointer, _ count: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<min(8, count) { word |= UInt64(data[index]) << UInt64(index * 8) }
    return word
  }

  private func holds(_ file: Int, _ data: UnsafeRawBufferPointer, _ offset: UInt64) -> Bool {
    let content = files[file].content
    guard offset < content.byteCount else { return false }
    let available = content.byteCount - offset
    let count = Int(min(UInt64(min(data.count, Self.comparedByteCount)), available))
    if count < Self.leastByteCount, UInt64(count) < available { return false }
    if UInt64(data.count) > available, variants[file] == nil { return false }
    let planned = RecipeCache.shared.bytes(of: content, at: offset, count: count)
    if same(planned, data) { return true }
    guard let variants = variants[file] else { return false }
    var seen = planned
    for variant in variants {
      // The newest lies over the older ones.
      let start = max(variant.offset, offset)
      let end = min(variant.offset + UInt64(variant.bytes.count), offset + UInt64(count))
      guard start < end else { continue }
      let from = Int(start - variant.offset)
      seen.replaceSubrange(
        Int(start - offset)..<Int(end - offset),
        with: variant.bytes[from..<from + Int(end - start)])
      if same(seen, data) { return true }
    }
    return false
  }

  private func same(_ bytes: [UInt8], _ data: UnsafeRawBufferPointer) -> Bool {
    guard let base = data.baseAddress, !bytes.isEmpty else { return false }
    return memcmp(bytes, base, bytes.count) == 0
  }
}
