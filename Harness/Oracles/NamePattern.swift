import FaultModel
import SystemIO

/// A path pattern of a fault script: `*` and `?` within a name, `**` across names.
///
/// Written for the oracles alone, so that a mistake in the script reader's own matching cannot
/// hide in theirs.
struct NamePattern {
  private let components: [[UInt8]]

  /// - Parameter isSuffix: The pattern may begin at any component of a path; else at its root.
  init(_ text: String, isSuffix: Bool) {
    let own = text.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }
    components = isSuffix ? [Self.anyNames] + own : own
  }

  /// True when the whole path matches.
  func matches(_ path: BytePath) -> Bool {
    Self.match(components[...], path.components.map(\.bytes)[...])
  }

  private static let anyNames = Array("**".utf8)

  private static func match(
    _ pattern: ArraySlice<[UInt8]>, _ names: ArraySlice<[UInt8]>
  ) -> Bool {
    guard let first = pattern.first else { return names.isEmpty }
    if first == anyNames {
      let rest = pattern.dropFirst()
      return (names.startIndex...names.endIndex).contains { match(rest, names[$0...]) }
    }
    guard let name = names.first, matchName(first, name) else { return false }
    return match(pattern.dropFirst(), names.dropFirst())
  }

  /// Iterative, with one point to go back to: linear for one star, quadratic at worst.
  static func matchName(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
    var p = 0
    var n = 0
    var retry: (pattern: Int, name: Int)?
    while n < name.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        retry = (p + 1, n)
        p += 1
      } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") {
        p += 1
        n += characterLength(name, at: n)
      } else if p < pattern.count, pattern[p] == name[n] {
        p += 1
        n += 1
      } else if let point = retry {
        retry = (point.pattern, point.name + 1)
        p = point.pattern
        n = point.name + 1
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  /// Bytes of the UTF-8 character at `index`; 1 for a byte that begins none.
  private static func characterLength(_ name: [UInt8], at index: Int) -> Int {
    let lead = name[index]
    let length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
    let end = min(index + length, name.count)
    return String(validating: name[index..<end], as: UTF8.self) == nil ? 1 : end - index
  }
}

extension Expectation.FileName {
  /// The paths that the name stands for: those that end in its components, or match its pattern.
  func matches(among paths: some Sequence<BytePath>) -> [BytePath] {
    switch self {
    case .suffix(let suffix):
      let wanted = suffix.components
      return paths.filter { path in
        !wanted.isEmpty && path.components.suffix(wanted.count).elementsEqual(wanted)
      }
    case .glob(let pattern):
      let pattern = NamePattern(pattern, isSuffix: true)
      return paths.filter { pattern.matches($0) }
    }
  }
}

extension Target {
  /// True when a rule with this target may strike the file at `path` of the source's tree. A
  /// temporary name or a marker may belong to any file.
  func mayStrike(_ path: BytePath) -> Bool {
    switch subject {
    case .path(let own), .content(.path(let own)):
      path == own || path.components.starts(with: own.components)
    case .glob(let pattern), .content(.glob(let pattern)):
      NamePattern(pattern, isSuffix: false).matches(path)
        || NamePattern(pattern + "/**", isSuffix: false).matches(path)
    case .temporary, .marker: true
    }
  }
}
