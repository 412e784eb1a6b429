import FaultModel
@_spi(_Unicode) import Swift
import SystemIO

/// What a persona makes of names: refused, stored, and compared.
struct NameFolding {
  let rules: Persona.NameRules

  /// How a name is stored and the key under which it is found.
  struct Folded {
    let stored: BytePath
    let key: BytePath
  }

  func fold(_ name: BytePath) throws(Errno) -> Folded {
    try check(name)
    var bytes = strip(name.bytes)
    if bytes.isEmpty { throw rules.forbiddenError }
    if rules.normalisation == .storesDecomposed { bytes = Self.decomposed(bytes) }
    let stored = bytes.count == name.bytes.count ? (bytes == name.bytes ? name : path(bytes)) : path(bytes)
    return Folded(stored: stored, key: key(stored))
  }

  /// The key of a name, whether or not the persona would take it.
  func key(_ name: BytePath) -> BytePath {
    var bytes = rules.trailing == .kept ? name.bytes : strip(name.bytes)
    if rules.normalisation != .none { bytes = Self.decomposed(bytes) }
    if !rules.isCaseSensitive { bytes = Self.upperCased(bytes) }
    if rules.normalisation != .none, !rules.isCaseSensitive { bytes = Self.decomposed(bytes) }
    return bytes == name.bytes ? name : path(bytes)
  }

  /// The key of a whole path, name by name.
  func key(ofPath whole: BytePath) -> BytePath {
    if isPlain { return whole }
    return whole.components.reduce(BytePath("")) { $0.appending(key($1)) }
  }

  /// Names are their own keys.
  var isPlain: Bool {
    rules.isCaseSensitive && rules.normalisation == .none && rules.trailing == .kept
  }

  private func check(_ name: BytePath) throws(Errno) {
    let bytes = name.bytes
    if !rules.forbidden.isEmpty, bytes.contains(where: rules.forbidden.contains) {
      throw rules.forbiddenError
    }
    let isASCII = bytes.allSatisfy { $0 < 0x80 }
    if let error = rules.notUTF8Error, !isASCII, name.utf8 == nil { throw error }
    switch rules.limit {
    case .bytes(let limit):
      if bytes.count > limit { throw .nameTooLong }
    case .utf16Units(let limit):
      if bytes.count <= limit { return }
      let units = isASCII ? bytes.count : String(decoding: bytes, as: UTF8.self).utf16.count
      if units > limit { throw .nameTooLong }
    }
  }

  private func strip(_ bytes: [UInt8]) -> [UInt8] {
    let dot = UInt8(ascii: ".")
    let space = UInt8(ascii: " ")
    switch rules.trailing {
    case .kept: return bytes
    case .dotsStripped:
      guard bytes.last == dot, bytes != [dot], bytes != [dot, dot] else { return bytes }
      return Array(bytes[..<((bytes.lastIndex { $0 != dot } ?? -1) + 1)])
    case .dotsAndSpacesStripped:
      guard let last = bytes.last, last == dot || last == space, bytes != [dot], bytes != [dot, dot]
      else { return bytes }
      return Array(bytes[..<((bytes.lastIndex { $0 != dot && $0 != space } ?? -1) + 1)])
    }
  }

  private func path(_ bytes: [UInt8]) -> BytePath { BytePath(bytes) ?? "" }

  private static func decomposed(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
    guard let text = String(validating: bytes, as: UTF8.self) else { return bytes }
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfd { scalars.append(scalar) }
    return Array(String(scalars).utf8)
  }

  /// One scalar to one scalar, as up-case tables on media are: ss is not sharp s, and the dotless
  /// i keeps apart from I.
  private static func upperCased(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      guard bytes.contains(where: { $0 >= 0x61 && $0 <= 0x7a }) else { return bytes }
      return bytes.map { $0 >= 0x61 && $0 <= 0x7a ? $0 - 0x20 : $0 }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return bytes }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let upper = scalar.properties.uppercaseMapping.unicodeScalars
      if scalar != "\u{131}", scalar != "\u{17f}", upper.count == 1, let single = upper.first {
        scalars.append(single)
      } else {
        scalars.append(scalar)
      }
    }
    return Array(String(scalars).utf8)
  }
}
