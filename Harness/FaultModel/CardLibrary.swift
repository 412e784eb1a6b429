import Glibc
public import SystemIO

/// The folders that card tables are looked up in, first one first.
public struct CardLibrary: Sendable {
  /// `./Fixtures/cards`, then `PREFIX/share/custody/Fixtures/cards`, as the caller knows them.
  public let folders: [BytePath]

  public init(folders: [BytePath]) {
    self.folders = folders
  }

  /// Reads a card table by its name.
  public func card(named name: String) throws(CardLibraryError) -> CardLayout {
    for folder in folders {
      let path = folder.appending(BytePath(name + ".card"))
      guard let text = try TextFile.read(path) else { continue }
      do {
        return try CardLayout(text: text, name: name)
      } catch {
        throw .table(error)
      }
    }
    let known = names
    throw .unknown(name: name, near: NearWords.of(name, among: known), known: known)
  }

  /// Every card's name, in order, each once.
  public var names: [String] {
    Set(folders.flatMap { TextFile.names(in: $0, suffix: ".card") }).sorted()
  }
}

/// Why a card could not be had.
public enum CardLibraryError: Error, Sendable, Equatable {
  case unknown(name: String, near: [String], known: [String])
  case table(ScriptError)
  case unreadable(SystemError)
}

extension CardLibraryError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknown(let name, let near, let known):
      let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
      let all = known.isEmpty ? "there are none" : known.joined(separator: ", ")
      return "no card is named '\(name)'\(hint) (cards: \(all))"
    case .table(let error): return error.description
    case .unreadable(let error): return error.description
    }
  }
}

/// Reads small text files whole.
enum TextFile {
  /// The bytes, one more than the largest script at most; nil when there is no such file.
  static func read(_ path: BytePath) throws(CardLibraryError) -> [UInt8]? {
    let descriptor = open((path.bytes + [0]).map(CChar.init(bitPattern:)), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .unreadable(SystemError(call: "open", errno: .current, path: path))
    }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while text.count <= Lexer.largestText {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw .unreadable(SystemError(call: "read", errno: .current, path: path))
      }
      text.append(contentsOf: chunk[..<count])
    }
    return text
  }

  /// The names in a folder that end in `suffix`, without it; none when there is no such folder.
  static func names(in folder: BytePath, suffix: String) -> [String] {
    guard let stream = opendir((folder.bytes + [0]).map(CChar.init(bitPattern:))) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(suffix), name.first != "." { names.append(String(name.dropLast(suffix.count))) }
    }
    return names.sorted()
  }
}
