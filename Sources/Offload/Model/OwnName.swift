import SystemIO

/// The names that the engine gives to files of its own (docs/offload.md, "Names of our own").
enum OwnName {
  static let temporaryPrefix = Array(".custody.tmp.".utf8)
  static let markerPrefix = Array(".custody-status-".utf8)
  static let failedSuffix = Array(".custody-failed".utf8)
  private static let idLength = 32

  /// A name for bytes that are not proven yet.
  static func temporary(_ id: RandomID) -> BytePath {
    BytePath(".custody.tmp.\(id.text)")
  }

  /// A name for the marker that says: this file is not complete.
  static func marker(_ id: RandomID) -> BytePath {
    BytePath(".custody-status-\(id.text)")
  }

  /// The name that keeps the bytes of a copy that differs.
  static func failed(_ name: BytePath) -> BytePath {
    BytePath(name.bytes + failedSuffix) ?? name
  }

  static func isTemporary(_ name: BytePath) -> Bool { isOwn(name, temporaryPrefix) }

  static func isMarker(_ name: BytePath) -> Bool { isOwn(name, markerPrefix) }

  static func isFailed(_ name: BytePath) -> Bool {
    name.bytes.count > failedSuffix.count
      && name.bytes.suffix(failedSuffix.count).elementsEqual(failedSuffix)
  }

  private static func isOwn(_ name: BytePath, _ prefix: [UInt8]) -> Bool {
    guard name.bytes.count == prefix.count + idLength, name.bytes.starts(with: prefix) else {
      return false
    }
    return name.bytes[prefix.count...].allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
  }
}

/// Hands out identifiers, from any thread.
final class IDSource: Sendable {
  private let source: Monitor<any RandomNumberGenerator & Sendable>

  init(_ random: any RandomNumberGenerator & Sendable) {
    source = Monitor(random)
  }

  func next() -> RandomID {
    source.update { random in
      var generator = Forwarding(random)
      let id = RandomID(using: &generator)
      random = generator.source
      return id
    }
  }

  /// Opens the existential, which cannot be passed as `inout some`.
  private struct Forwarding: RandomNumberGenerator {
    var source: any RandomNumberGenerator & Sendable

    init(_ source: any RandomNumberGenerator & Sendable) {
      self.source = source
    }

    mutating func next() -> UInt64 { source.next() }
  }
}

extension BytePath {
  /// True for the name of an AppleDouble companion, `._NAME`.
  var isAppleDouble: Bool { bytes.starts(with: [UInt8(ascii: "."), UInt8(ascii: "_")]) }
}
