@_spi(_Unicode) import Swift
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
    if isForbidden(name) { return .refused(forbiddenError) }
    let isASCII = Self.isASCII(name.bytes)
    if let notUTF8Error, !isASCII, name.utf8 == nil { return .refused(notUTF8Error) }
    var kept = stripped(name)
    if kept.bytes.isEmpty { return .refused(.noSuchFile) }
    if normalisation == .storesDecomposed, !isASCII { kept = Self.decomposedByHFS(kept) }
    return isTooLong(kept) ? .refused(.nameTooLong) : .kept(kept)
  }

  /// True for names that hold a forbidden byte, end as none may, or name a device of DOS.
  private func isForbidden(_ name: BytePath) -> Bool {
    if !forbidden.isEmpty, name.bytes.contains(where: forbidden.contains) { return true }
    if trailing == .refused, let last = name.bytes.last, last == Self.dot || last == Self.blank {
      return true
    }
    return refusesDevices && Self.isDevice(name)
  }

  /// CON, PRN, AUX, NUL, COM1 to COM9 and LPT1 to LPT9, whatever follows a dot.
  private static func isDevice(_ name: BytePath) -> Bool {
    let stem = capitalsOfASCII(BytePath(Array(name.bytes.prefix { $0 != dot })) ?? name).bytes
    switch stem.count {
    case 3: return ["CON", "PRN", "AUX", "NUL"].contains { $0.utf8.elementsEqual(stem) }
    case 4:
      return ["COM", "LPT"].contains { $0.utf8.elementsEqual(stem.dropLast()) }
        && (0x31...0x39).contains(stem[3])
    default: return false
    }
  }

  /// The answer when a name is looked for; nil when it may be there.
  public func lookupError(_ name: BytePath) -> Errno? {
    if findsForbidden, isForbidden(name) { return .noSuchFile }
    if case .refused(let errno) = stored(name) { return errno }
    return nil
  }

  /// What two names of one folder must not share: equal keys are one entry.
  ///
  /// Case is folded as exFAT's up-case table does it: each character of the first plane alone. So ä
  /// finds Ä, while ß is not SS and a dotless i is not I. Names that differ in normalisation stay
  /// two, unless the rules say otherwise.
  public func key(_ name: BytePath) -> BytePath {
    var key = stripped(name)
    let isASCII = Self.isASCII(key.bytes)
    if normalisation != .none, !isASCII { key = Self.decomposed(key) }
    if isCaseSensitive { return key }
    key = isASCII ? Self.capitalsOfASCII(key) : Self.capitals(key)
    return normalisation != .none && !isASCII ? Self.decomposed(key) : key
  }

  /// True when every name is its own key.
  public var areKeys: Bool {
    isCaseSensitive && normalisation == .none && (trailing == .kept || trailing == .refused)
  }

  private static let dot = UInt8(ascii: ".")
  private static let blank = UInt8(ascii: " ")

  private static func isASCII(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy { $0 < 0x80 } }

  private func stripped(_ name: BytePath) -> BytePath {
    if trailing == .kept || trailing == .refused { return name }
    let strips = { (byte: UInt8) in
      byte == Self.dot || byte == Self.blank && trailing == .dotsAndSpacesStripped
    }
    guard let last = name.bytes.last, strips(last) else { return name }
    let end = name.bytes.lastIndex { !strips($0) }.map { $0 + 1 } ?? 0
    return BytePath(Array(name.bytes[..<end])) ?? name
  }

  private func isTooLong(_ name: BytePath) -> Bool {
    switch limit {
    case .bytes(let most): name.bytes.count > most
    case .utf16Units(let most):
      name.bytes.count > most && (name.utf8?.utf16.count ?? name.bytes.count) > most
    }
  }

  private static func decomposed(_ name: BytePath) -> BytePath {
    guard let text = name.utf8 else { return name }
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfd { scalars.append(scalar) }
    return BytePath(String(scalars))
  }

  /// As HFS+ decomposes: characters from U+2000 to U+2FFF and the compatibility ideographs stay
  /// (Apple's technical note 1150).
  private static func decomposedByHFS(_ name: BytePath) -> BytePath {
    guard let text = name.utf8 else { return name }
    var scalars = String.UnicodeScalarView()
    var run = ""
    func flush() {
      for scalar in run._nfd { scalars.append(scalar) }
      run = ""
    }
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x2000...0x2fff, 0xf900...0xfaff, 0x2f800...0x2faff:
        flush()
        scalars.append(scalar)
      default: run.unicodeScalars.append(scalar)
      }
    }
    flush()
    return BytePath(String(scalars))
  }

  private static func capitalsOfASCII(_ name: BytePath) -> BytePath {
    guard name.bytes.contains(where: { $0 >= 0x61 && $0 <= 0x7a }) else { return name }
    return BytePath(name.bytes.map { $0 >= 0x61 && $0 <= 0x7a ? $0 - 0x20 : $0 }) ?? name
  }

  private static func capitals(_ name: BytePath) -> BytePath {
    guard let text = name.utf8 else { return name }
    var folded = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { folded.append(UpCaseTable.capital(of: scalar)) }
    return BytePath(String(folded))
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
  /// 1980 to 2107 inclusive, what seven bits of a year can hold, to exfat-fuse: each fourth year is
  /// a leap year, 2100 too.
  private static let cycle: Int64 = 46_752 * 86_400

  private func clamped(_ time: Int64) -> Int64 {
    let seconds = floorDivided(time, Self.second)
    if seconds < earliest { return earliest * Self.second }
    if seconds <= latest || latest >= Int64.max / Self.second { return time }
    return wrapsLateYears ? time - Self.cycle * Self.second : latest * Self.second
  }

  private func floor(_ time: Int64, _ grain: Int64) -> Int64 {
    grain <= 1 ? time : floorDivided(time, grain) &* grain
  }

  private func floorDivided(_ time: Int64, _ step: Int64) -> Int64 {
    let quotient = time / step
    return time % step < 0 ? quotient - 1 : quotient
  }
}

extension Persona {
  /// True for a name under which an open file that was removed stands: no subject's doing.
  public func isOfRemoved(_ name: BytePath) -> Bool {
    guard case .renamed(let prefix) = openRemoval else { return false }
    return name.bytes.starts(with: prefix.utf8)
  }
}
