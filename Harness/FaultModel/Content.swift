import CXXHash

/// A file's bytes as a recipe: never stored, made where they are needed, the same everywhere.
///
/// The bytes are the AES-128-CTR keystream of `key`, beginning at block 0, so that any range can
/// be made alone and every 512-byte sector is unique. Generator version 1; golden digests are in
/// FaultModelTests.
public struct Content: Hashable, Sendable {
  /// The version that replay files name; another generator is another version.
  public static let generatorVersion = 1

  /// 128 bits; derived from (seed, volume, path) by the tree builder.
  public let key: Key
  public let byteCount: UInt64

  /// A cipher key: which of all keystreams the bytes are.
  public struct Key: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }
  }

  public init(key: Key, byteCount: UInt64) {
    self.key = key
    self.byteCount = byteCount
  }
}

extension Content {
  /// Puts the bytes from `offset` on into `buffer` and returns how many there were: fewer than
  /// `buffer.count` at the end of the file, 0 at or beyond it. The rest of `buffer` is untouched.
  @discardableResult
  public func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
    guard offset < byteCount else { return 0 }
    let count = Int(min(UInt64(buffer.count), byteCount - offset))
    KeyStream.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), key: key, at: offset)
    return count
  }

  /// The bytes of a range, cut at the end of the file. For small ranges.
  public func bytes(at offset: UInt64, count: Int) -> [UInt8] {
    let available = offset < byteCount ? Int(min(UInt64(count), byteCount - offset)) : 0
    return [UInt8](unsafeUninitializedCapacity: available) { buffer, filled in
      filled = fill(UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
  }

  /// XXH3-128 of the whole, 32 lower-case hex digits. Makes every byte: keep the answer.
  public func digest() -> String {
    guard let state = XXH3_createState() else { preconditionFailure("no memory for a hash state") }
    defer { XXH3_freeState(state) }
    XXH3_128bits_reset(state)
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(min(max(byteCount, 1), 1 << 20)), alignment: 64)
    defer { chunk.deallocate() }
    var offset: UInt64 = 0
    while case let count = fill(chunk, at: offset), count > 0 {
      XXH3_128bits_update(state, chunk.baseAddress, count)
      offset += UInt64(count)
    }
    let hash = XXH3_128bits_digest(state)
    return KeyStream.hex(hash.high64) + KeyStream.hex(hash.low64)
  }

  /// A file of the same size with other bytes; each salt gives its own.
  public func different(_ salt: UInt64) -> Content {
    Content(
      key: Key(derivedFrom: "different", numbers: [key.high, key.low, salt], strings: []),
      byteCount: byteCount)
  }

  /// The same recipe cut or lengthened; a common prefix stays equal.
  public func resized(to byteCount: UInt64) -> Content {
    Content(key: key, byteCount: byteCount)
  }
}

extension Content.Key {
  /// The key of a file of a tree: SHA-256 over the label `custody-content 1`, the seed, the
  /// volume's name and the path, each with its length before it; the first 16 bytes.
  public init(seed: UInt64, volume: String, path: [UInt8]) {
    self.init(derivedFrom: "file", numbers: [seed], strings: [Array(volume.utf8), path])
  }

  init(derivedFrom label: String, numbers: [UInt64], strings: [[UInt8]]) {
    var message = Array("custody-content 1 \(label)".utf8)
    message.append(0)
    for number in numbers + strings.map({ UInt64($0.count) }) {
      withUnsafeBytes(of: number.bigEndian) { message.append(contentsOf: $0) }
    }
    for string in strings { message.append(contentsOf: string) }
    let digest = KeyStream.sha256(message)
    self.init(high: KeyStream.bigEndian(digest[0..<8]), low: KeyStream.bigEndian(digest[8..<16]))
  }
}
