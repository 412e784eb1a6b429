public import SystemIO

/// What a volume makes of a name that is to be created.
public enum StoredName: Hashable, Sendable {
  /// The name as listings show it.
  case kept(BytePath)
  case refused(Errno)
}

extension Persona.NameRules {
  /// The name as it is stored, or the answer of the call that brought it. `.` and `..` never come
  /// here; no name holds a slash.
  public func stored(_ name: BytePath) -> StoredName {
    let text = name.utf8
    if let notUTF8Error, text == nil { return .refused(notUTF8Error) }
    if name.bytes.contains(where: forbidden.contains) { return .refused(forbiddenError) }
    let kept = stripped(name.bytes)
    guard !kept.isEmpty, let stored = BytePath(kept) else { return .refused(.noSuchFile) }
    return isTooLong(stored) ? .refused(.nameTooLong) : .kept(stored)
  }

  private func stripped(_ bytes: [UInt8]) -> [UInt8] {
    let dot = UInt8(ascii: ".")
    let blank = UInt8(ascii: " ")
    let last = bytes.lastIndex {
      switch trailing {
      case .kept: true
      case .dotsStripped: $0 != dot
      case .dotsAndSpacesStripped: $0 != dot && $0 != blank
      }
    }
    return last.map { Array(bytes[...$0]) } ?? []
  }

  private func isTooLong(_ name: BytePath) -> Bool {
    switch limit {
    case .bytes(let most): name.bytes.count > most
    case .utf16Units(let most):
      name.bytes.count > most && (name.utf8?.utf16.count ?? name.bytes.count) > most
    }
  }

  /// What two names of one folder must not share: equal keys are one entry.
  ///
  /// Case is folded as exFAT's table does it: each character of the first plane alone, to its
  /// capital, and only where that capital's small letter leads back. So ä finds Ä, while ß is not
  /// SS and a dotless i is not I. Names that differ in normalisation stay two.
  public func key(_ name: BytePath) -> BytePath {
    if isCaseSensitive { return name }
    if name.bytes.allSatisfy({ $0 < 0x80 }) {
      let folded = name.bytes.map { (0x61...0x7a).contains($0) ? $0 - 0x20 : $0 }
      return BytePath(folded) ?? name
    }
    guard let text = name.utf8 else { return name }
    var folded = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { folded.append(Self.capital(of: scalar)) }
    return BytePath(String(folded))
  }

  private static func capital(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    let upper = scalar.properties.uppercaseMapping.unicodeScalars
    guard scalar.value <= 0xffff, upper.count == 1, let capital = upper.first,
      capital.properties.lowercaseMapping.unicodeScalars.elementsEqual([scalar])
    else { return scalar }
    return capital
  }
}

extension Persona.TimeRules {
  /// A modification time as stat shows it after it was set. Nanoseconds since 1970.
  public func modification(_ time: Int64) -> Int64 {
    floor(clampsOnRemount ? time : clamped(time), modificationGrain)
  }

  /// A modification time as stat shows it after a remount.
  public func modificationOnMedium(_ time: Int64) -> Int64 {
    floor(clamped(time), modificationGrainOnMedium)
  }

  /// An access time as stat shows it after it was set.
  public func access(_ time: Int64) -> Int64 {
    floor(clampsOnRemount ? time : clamped(time), accessGrain)
  }

  /// An access time as stat shows it after a remount.
  public func accessOnMedium(_ time: Int64) -> Int64 {
    floor(clamped(time), accessGrainOnMedium)
  }

  private static let second: Int64 = 1_000_000_000
  /// 1980 to 2107 inclusive: what seven bits of a year can hold.
  private static let cycle: Int64 = 46_751 * 86_400

  private func clamped(_ time: Int64) -> Int64 {
    let seconds = floorDivided(time, Self.second)
    if seconds < earliest { return earliest * Self.second }
    if seconds <= latest { return time }
    return wrapsLateYears ? time - Self.cycle * Self.second : latest * Self.second
  }

  private func floor(_ time: Int64, _ grain: Int64) -> Int64 {
    floorDivided(time, grain) * grain
  }

  private func floorDivided(_ time: Int64, _ step: Int64) -> Int64 {
    let quotient = time / step
    return time % step < 0 ? quotient - 1 : quotient
  }
}
