import CXXHash

/// XXH3-128 of a stream, straight from the C library.
struct NaiveDigest: Equatable {
  private let low: UInt64
  private let high: UInt64

  struct Builder: ~Copyable {
    private let state = XXH3_createState()

    init() {
      XXH3_128bits_reset(state)
    }

    deinit {
      XXH3_freeState(state)
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
      _ = XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
    }

    func finish() -> NaiveDigest {
      let value = XXH3_128bits_digest(state)
      return NaiveDigest(low: value.low64, high: value.high64)
    }
  }
}
