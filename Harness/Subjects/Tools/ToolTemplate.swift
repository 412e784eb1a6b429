public import SystemIO

/// The command line of a tool with places for the volumes: `rsync -a {src}/ {dst}/`.
///
/// It is split without a shell: words end at blanks; 'single' and "double" quotes keep blanks and
/// mean nothing else within; a backslash outside of quotes takes the next character as it is. With
/// `isShell` the whole text is one argument of `bash -c`. `{src}`, `{dst}`, `{dst2}`, ... stand for
/// mount points, also within quotes; `{{` and `}}` stand for braces.
public struct ToolTemplate: Sendable, Equatable {
  /// As the user wrote it.
  public let text: String
  public let isShell: Bool
  /// The destinations that it names: 1 for `{dst}` alone, which is run once for each destination.
  public let destinationCount: Int
  private let words: [[Piece]]

  private enum Piece: Equatable {
    case text([UInt8])
    case source
    /// From 0.
    case destination(Int)
  }

  /// Splits the text and finds its places.
  public init(_ text: String, isShell: Bool = false) throws(ToolTemplateError) {
    self.text = text
    self.isShell = isShell
    let split = isShell ? [Array(text.utf8)] : try Self.split(Array(text.utf8))
    var words: [[Piece]] = []
    for word in split { words.append(try Self.pieces(word)) }
    if words.isEmpty || words.allSatisfy(\.isEmpty) { throw .empty }
    let named = Set(
      words.joined().compactMap { if case .destination(let index) = $0 { index } else { nil } })
    if !words.joined().contains(.source) { throw .missing("src") }
    for index in 0...(named.max() ?? 0) where !named.contains(index) {
      throw .missing(Self.name(ofDestination: index))
    }
    destinationCount = named.count
    self.words = words
  }

  /// The program's name or path; nil when a shell finds it, or a volume has a part in it.
  public var program: BytePath? {
    guard !isShell, words[0].count == 1, case .text(let bytes) = words[0][0] else { return nil }
    return BytePath(bytes)
  }

  /// The words with the volumes in their places; the whole text is one of them for a shell.
  func filled(source: BytePath, destinations: [BytePath]) -> [[UInt8]] {
    words.map { pieces in
      pieces.flatMap { piece in
        switch piece {
        case .text(let bytes): bytes
        case .source: source.bytes
        case .destination(let index): destinations[index].bytes
        }
      }
    }
  }

  // MARK: Reading

  private static func split(_ text: [UInt8]) throws(ToolTemplateError) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8]?
    var rest = text[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"):
        if let ended = word { words.append(ended) }
        word = nil
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        guard let end = rest.firstIndex(of: byte) else { throw .openQuote }
        word = (word ?? []) + rest[..<end]
        rest = rest[(end + 1)...]
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst() else { throw .openQuote }
        word = (word ?? []) + [next]
      default: word = (word ?? []) + [byte]
      }
    }
    if let word { words.append(word) }
    return words
  }

  private static func pieces(_ word: [UInt8]) throws(ToolTemplateError) -> [Piece] {
    var pieces: [Piece] = []
    var plain: [UInt8] = []
    var rest = word[...]
    while let byte = rest.popFirst() {
      let isBrace = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
      if !isBrace {
        plain.append(byte)
      } else if rest.first == byte {
        plain.append(byte)
        rest.removeFirst()
      } else {
        guard byte == UInt8(ascii: "{"), let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          throw .loneBrace
        }
        if !plain.isEmpty { pieces.append(.text(plain)) }
        plain = []
        pieces.append(try place(String(decoding: rest[..<end], as: UTF8.self)))
        rest = rest[(end + 1)...]
      }
    }
    if !plain.isEmpty { pieces.append(.text(plain)) }
    return pieces
  }

  /// The most destinations that a template may name.
  private static let destinationLimit = 16

  private static func place(_ name: String) throws(ToolTemplateError) -> Piece {
    if name == "src" { return .source }
    for index in 0..<destinationLimit where name == Self.name(ofDestination: index) {
      return .destination(index)
    }
    throw .unknownPlace(name)
  }

  private static func name(ofDestination index: Int) -> String {
    index == 0 ? "dst" : "dst\(index + 1)"
  }
}

/// A template that cannot be used: exit code 2.
public enum ToolTemplateError: Error, Sendable, Equatable, CustomStringConvertible {
  case empty
  case openQuote
  case loneBrace
  case unknownPlace(String)
  /// A place that must be there is not.
  case missing(String)

  public var description: String {
    switch self {
    case .empty: "the command is empty"
    case .openQuote: "a quote or a backslash at the end has nothing after it"
    case .loneBrace: "a brace stands alone: write {{ or }} for a brace of the command"
    case .unknownPlace(let name):
      "'{\(name)}' is no place: there are {src}, {dst}, {dst2} and so on; write {{ and }} for "
        + "braces of the command"
    case .missing(let name): "the command does not name {\(name)}"
    }
  }
}
