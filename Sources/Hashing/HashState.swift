internal import COpenSSL
internal import CXXHash

/// The running state of one hash function, used again for stream after stream.
protocol HashState: AnyObject, Sendable {
  func reset()
  func update(_ bytes: UnsafeRawBufferPointer)
  /// The digest so far, for an algorithm that this state computes.
  func digest(_ algorithm: HashAlgorithm) -> [UInt8]
}

/// A digest method of OpenSSL, looked up once: the look-up costs more than hashing a small file.
// @unchecked: EVP_MD is reference-counted and read-only after the fetch (man 3 EVP_MD_fetch); the
// process keeps it for ever.
private final class DigestMethod: @unchecked Sendable {
  let pointer: OpaquePointer?

  init(_ name: String) {
    pointer = EVP_MD_fetch(nil, name, nil)
  }

  private static let all = ["MD5", "SHA1", "SHA256", "SHA512"].map { ($0, DigestMethod($0)) }

  static func named(_ name: String) -> OpaquePointer? {
    all.first { $0.0 == name }?.1.pointer
  }
}

/// MD5 and the SHA family by EVP.
// @unchecked: owned by one MultiDigest, which is ~Copyable and mutates it only under exclusive
// access; it moves between threads whole.
final class EVPState: HashState, @unchecked Sendable {
  private let context: OpaquePointer
  private let method: OpaquePointer
  private let byteCount: Int

  init?(_ openSSLName: String) {
    guard let method = DigestMethod.named(openSSLName), let context = EVP_MD_CTX_new() else {
      return nil
    }
    self.method = method
    self.context = context
    byteCount = Int(EVP_MD_get_size(method))
    reset()
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  func reset() {
    check(EVP_DigestInit_ex2(context, method, nil))
  }

  func update(_ bytes: UnsafeRawBufferPointer) {
    check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
  }

  func digest(_ algorithm: HashAlgorithm) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      check(EVP_DigestFinal_ex(context, buffer.baseAddress, nil))
      count = byteCount
    }
  }

  /// A digest of a fetched method fails only when memory is corrupt or used in a wrong order.
  private func check(_ answer: CInt) {
    precondition(answer == 1, "The crypto library refused a digest it had offered")
  }
}

/// XXH64.
// @unchecked: as EVPState.
final class XXH64State: HashState, @unchecked Sendable {
  private let state: OpaquePointer

  init?() {
    guard let state = XXH64_createState() else { return nil }
    self.state = state
    reset()
  }

  deinit {
    XXH64_freeState(state)
  }

  func reset() { XXH64_reset(state, 0) }

  func update(_ bytes: UnsafeRawBufferPointer) {
    XXH64_update(state, bytes.baseAddress, bytes.count)
  }

  func digest(_ algorithm: HashAlgorithm) -> [UInt8] {
    bigEndianBytes(XXH64_digest(state))
  }
}

/// XXH3 of both widths: the library updates the two alike, only the end differs.
// @unchecked: as EVPState.
final class XXH3State: HashState, @unchecked Sendable {
  private let state: OpaquePointer

  init?() {
    guard let state = XXH3_createState() else { return nil }
    self.state = state
    reset()
  }

  deinit {
    XXH3_freeState(state)
  }

  func reset() { XXH3_128bits_reset(state) }

  func update(_ bytes: UnsafeRawBufferPointer) {
    XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
  }

  func digest(_ algorithm: HashAlgorithm) -> [UInt8] {
    if algorithm == .xxh3 { return bigEndianBytes(XXH3_64bits_digest(state)) }
    let wide = XXH3_128bits_digest(state)
    return bigEndianBytes(wide.high64) + bigEndianBytes(wide.low64)
  }
}

private func bigEndianBytes(_ value: UInt64) -> [UInt8] {
  withUnsafeBytes(of: value.bigEndian) { Array($0) }
}
