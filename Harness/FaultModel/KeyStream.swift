import COpenSSL
import Glibc

/// The cipher and hash behind `Content`, by OpenSSL; nothing here loops over bytes in Swift.
enum KeyStream {
  /// libcrypto's cipher object; fetching is slow, so it is fetched once and kept for ever.
  // @unchecked: an EVP_CIPHER never changes, libcrypto counts its references with atomics, and it
  // is never freed here.
  private struct Cipher: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private static let cipher: Cipher = {
    guard let pointer = EVP_CIPHER_fetch(nil, "AES-128-CTR", nil) else {
      preconditionFailure("libcrypto offers no AES-128-CTR")
    }
    return Cipher(pointer: pointer)
  }()

  private static let blockSize: UInt64 = 16

  /// Fills `buffer` with the keystream of `key` from byte `offset` on.
  static func fill(_ buffer: UnsafeMutableRawBufferPointer, key: Content.Key, at offset: UInt64) {
    guard let base = buffer.baseAddress, !buffer.isEmpty else { return }
    guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("no memory for a cipher") }
    defer { EVP_CIPHER_CTX_free(context) }
    start(context, key: key, block: offset / blockSize)
    skip(Int(offset % blockSize), of: context)
    memset(base, 0, buffer.count)
    var done = 0
    while done < buffer.count {
      let step = CInt(min(buffer.count - done, 1 << 30))
      var written: CInt = 0
      let bytes = base.advanced(by: done).assumingMemoryBound(to: UInt8.self)
      precondition(
        EVP_EncryptUpdate(context, bytes, &written, bytes, step) == 1 && written == step,
        "libcrypto's keystream stopped")
      done += Int(step)
    }
  }

  private static func start(_ context: OpaquePointer, key: Content.Key, block: UInt64) {
    let keyBytes = (key.high.bigEndian, key.low.bigEndian)
    let counter = (UInt64(0), block.bigEndian)
    let isReady = withUnsafeBytes(of: keyBytes) { key in
      withUnsafeBytes(of: counter) { counter in
        EVP_EncryptInit_ex2(
          context, cipher.pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self),
          counter.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
      }
    }
    precondition(isReady == 1, "libcrypto refused a 128-bit key")
  }

  private static func skip(_ count: Int, of context: OpaquePointer) {
    guard count > 0 else { return }
    var scratch = (UInt64(0), UInt64(0))
    withUnsafeMutableBytes(of: &scratch) { scratch in
      guard let bytes = scratch.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      var written: CInt = 0
      _ = EVP_EncryptUpdate(context, bytes, &written, bytes, CInt(count))
    }
  }

  static func sha256(_ message: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      var length: UInt32 = 0
      let done = message.withUnsafeBytes {
        EVP_Digest($0.baseAddress, $0.count, digest.baseAddress, &length, EVP_sha256(), nil)
      }
      precondition(done == 1 && length == 32, "libcrypto offers no SHA-256")
      count = 32
    }
  }

  static func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Sixteen lower-case hex digits.
  static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
