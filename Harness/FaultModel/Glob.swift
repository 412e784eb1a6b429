public import SystemIO

/// A path pattern as scripts write it bare: `?` is one character of a name, `*` any number of
/// them, `**` any number of whole names or parts across slashes; nothing else is special.
///
/// `**/` at the front or after a slash also stands for no folder at all, so that `**/*` is every
/// entry. Matching is by byte; `?` takes a whole UTF-8 character.
public struct Glob: Hashable, Sendable {
  public let pattern: String
  private let bytes: [UInt8]

  public init(_ pattern: String) {
    self.pattern = pattern
    bytes = Array(pattern.utf8)
  }

  /// True when the pattern holds `*` or `?`; without them it names one path.
  public var hasWildcards: Bool { bytes.contains { $0 == Self.star || $0 == Self.question } }

  /// True when the whole path fits.
  public func matches(_ path: BytePath) -> Bool { matches(path.bytes[...]) }

  /// True when the path, or its end from some whole name on, fits.
  public func matchesSuffix(of path: BytePath) -> Bool {
    if matches(path) { return true }
    return path.bytes.indices.contains {
      path.bytes[$0] == Self.slash && matches(path.bytes[($0 + 1)...])
    }
  }

  private static let star = UInt8(ascii: "*")
  private static let question = UInt8(ascii: "?")
  private static let slash = UInt8(ascii: "/")

  /// For each position of the pattern the set of path positions that reach it, so that the time is
  /// bounded by the product of both lengths whatever the pattern is.
  private func matches(_ path: ArraySlice<UInt8>) -> Bool {
    let text = Array(path)
    var reached = [Bool](repeating: false, count: text.count + 1)
    reached[0] = true
    var position = 0
    while position < bytes.count {
      let next = step(at: &position, reached, text)
      if !next.contains(true) { return false }
      reached = next
    }
    return reached[text.count]
  }

  private func step(at position: inout Int, _ reached: [Bool], _ text: [UInt8]) -> [Bool] {
    var next = [Bool](repeating: false, count: text.count + 1)
    if bytes[position] == Self.star {
      let isDouble = position + 1 < bytes.count && bytes[position + 1] == Self.star
      let isAtStart = position == 0 || bytes[position - 1] == Self.slash
      position += isDouble ? 2 : 1
      if isDouble, isAtStart, position < bytes.count, bytes[position] == Self.slash {
        position += 1
        return foldersSkipped(reached, text)
      }
      for place in reached.indices {
        next[place] = reached[place]
        if place > 0, next[place - 1], isDouble || text[place - 1] != Self.slash {
          next[place] = true
        }
      }
      return next
    }
    let isAny = bytes[position] == Self.question
    for place in text.indices where reached[place] {
      if isAny, text[place] != Self.slash {
        next[place + Self.characterLength(text, at: place)] = true
      } else if !isAny, text[place] == bytes[position] {
        next[place + 1] = true
      }
    }
    position += 1
    return next
  }

  /// `**/`: from a reached place to itself and to behind every later slash.
  private func foldersSkipped(_ reached: [Bool], _ text: [UInt8]) -> [Bool] {
    var next = reached
    var hasStart = false
    for place in reached.indices {
      if hasStart, place > 0, text[place - 1] == Self.slash { next[place] = true }
      if reached[place] { hasStart = true }
    }
    return next
  }

  private static func characterLength(_ text: [UInt8], at place: Int) -> Int {
    guard text[place] >= 0xc0 else { return 1 }
    let rest = text[(place + 1)...].prefix(3).prefix { $0 & 0xc0 == 0x80 }
    return 1 + rest.count
  }
}

extension Expectation.FileName {
  /// True when this names the source file `path`.
  public func matches(_ path: BytePath) -> Bool {
    switch self {
    case .suffix(let suffix):
      path == suffix || path.bytes.ends(with: [UInt8(ascii: "/")] + suffix.bytes)
    case .glob(let pattern): Glob(pattern).matchesSuffix(of: path)
    }
  }
}

extension Target.ContentName {
  /// True when this names the source file `path`: the whole path, never its end alone.
  public func matches(_ path: BytePath) -> Bool {
    switch self {
    case .path(let name): path == name
    case .glob(let pattern): Glob(pattern).matches(path)
    }
  }
}

extension Array<UInt8> {
  fileprivate func ends(with tail: [UInt8]) -> Bool {
    count >= tail.count && self[(count - tail.count)...].elementsEqual(tail)
  }
}
