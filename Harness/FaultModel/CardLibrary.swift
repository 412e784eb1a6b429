public import SystemIO

/// The folders that card tables are looked up in, first one first.
public struct CardLibrary: Sendable {
  private let files: NamedFiles

  /// The folders, for a process that looks into the same ones.
  public var folders: [BytePath] { files.folders }

  /// - Parameter folders: `./Fixtures/cards`, then `PREFIX/share/custody/Fixtures/cards`.
  public init(folders: [BytePath]) {
    files = NamedFiles(folders: folders, suffix: ".card", kind: "card")
  }

  /// Every card's name, in order, each once.
  public var names: [String] { files.names }

  /// The text of a card table by its name.
  public func text(named name: String) throws(LibraryError) -> [UInt8] {
    try files.text(named: name)
  }

  /// Reads a card table by its name.
  public func card(named name: String) throws(LibraryError) -> CardLayout {
    let text = try files.text(named: name)
    do {
      return try CardLayout(text: text, name: name)
    } catch {
      throw .text(error)
    }
  }
}

/// The folders that fault scripts are looked up in, first one first.
public struct ScriptLibrary: Sendable {
  private let files: NamedFiles

  /// - Parameter folders: `./FaultScripts`, then `PREFIX/share/custody/FaultScripts`.
  public init(folders: [BytePath]) {
    files = NamedFiles(folders: folders, suffix: ".fault", kind: "fault script")
  }

  /// Every script's name, in order, each once.
  public var names: [String] { files.names }

  /// At most three names that the writer may have meant.
  public func near(_ name: String) -> [String] { NearWords.of(name, among: names) }

  /// The text of a script by its name.
  public func text(named name: String) throws(LibraryError) -> [UInt8] {
    try files.text(named: name)
  }
}

/// Text files of one suffix in some folders; a name that stands in an earlier folder hides others.
struct NamedFiles {
  let folders: [BytePath]
  let suffix: String
  /// As errors call such a file.
  let kind: String

  func text(named name: String) throws(LibraryError) -> [UInt8] {
    for folder in folders where !name.utf8.contains(UInt8(ascii: "/")) {
      let path = folder.appending(BytePath(name + suffix))
      do throws(SystemError) {
        return try FileSystem.contents(of: path, limit: Lexer.largestText + 1)
      } catch {
        guard error.errno == .noSuchFile || error.errno == .notDirectory else {
          throw .unreadable(error)
        }
      }
    }
    let known = names
    throw .unknown(
      kind: kind, name: name, near: NearWords.of(name, among: known), known: known)
  }

  /// A folder that cannot be listed has no names.
  var names: [String] {
    var names: Set<String> = []
    for folder in folders {
      let entries = try? PinnedDirectory.open(FileSystem.resolve(folder)).list()
      for entry in entries ?? [] {
        guard let name = entry.name.utf8, name.hasSuffix(suffix), name.first != "." else {
          continue
        }
        names.insert(String(name.dropLast(suffix.count)))
      }
    }
    return names.sorted()
  }
}

/// Why a card or script could not be had.
public enum LibraryError: Error, Sendable, Equatable {
  /// No such name; `kind` says of what.
  case unknown(kind: String, name: String, near: [String], known: [String])
  /// The text is wrong.
  case text(ScriptError)
  case unreadable(SystemError)
}

extension LibraryError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknown(let kind, let name, let near, let known):
      let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
      let all = known.isEmpty ? "there is none" : "there are " + known.joined(separator: " ")
      return "no \(kind) is named '\(name)'\(hint) (\(all))"
    case .text(let error): return error.description
    case .unreadable(let error): return error.description
    }
  }
}
