/// A file's bytes as a recipe: never stored, made where they are needed, the same everywhere.
///
/// The bytes are the AES-128-CTR keystream of `key`, beginning at block 0, so that any range can
/// be made alone and every 512-byte sector is unique. Generator version 1; golden digests are in
/// FaultModelTests.
public struct Content: Hashable, Sendable {
  /// 128 bits; derived from (seed, volume, path) by the tree builder.
  public let key: Key
  public let byteCount: UInt64

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
