public import FaultModel
public import SystemIO

/// Where scripts, cards and the allowed file are found: the working folder first, then what
/// `make install` put beside the executable (`PREFIX/share/custody`). Never a build tree.
public struct SuiteLibrary: Sendable {
  /// Folders that may hold `FaultScripts` and `Fixtures/cards`, first one first.
  public let roots: [BytePath]

  public init(roots: [BytePath]) {
    self.roots = roots
  }

  /// The working folder and the installation that the running executable belongs to.
  public static func standard() throws(SystemError) -> SuiteLibrary {
    let executable = try FileSystem.readLink("/proc/self/exe")
    var roots = [try FileSystem.currentDirectory()]
    if let prefix = executable.parent?.parent {
      roots.append(prefix.appending("share/custody"))
    }
    return SuiteLibrary(roots: roots)
  }

  public var cards: CardLibrary {
    CardLibrary(folders: roots.map { $0.appending("Fixtures/cards") })
  }

  private var scripts: ScriptLibrary {
    ScriptLibrary(folders: roots.map { $0.appending("FaultScripts") })
  }

  private var negativeScripts: ScriptLibrary {
    ScriptLibrary(folders: roots.map { $0.appending("FaultScripts/negative") })
  }

  /// Names of the scripts, without extension, each once, in order.
  public var names: [String] { scripts.names }

  /// Names of the scripts that judge the oracles by engines that are broken on purpose.
  public var negativeNames: [String] { negativeScripts.names }

  /// Reads a script by name.
  public func script(named name: String) throws(LibraryError) -> Script {
    try load(try scripts.text(named: name), name: name)
  }

  /// Reads the script of a broken engine by the engine's name.
  public func negativeScript(named name: String) throws(LibraryError) -> Script {
    try load(try negativeScripts.text(named: name), name: name)
  }

  /// Reads a script from a file.
  public func script(at path: BytePath) throws(LibraryError) -> Script {
    var name = path.lastComponent.escaped
    if name.hasSuffix(".fault") { name = String(name.dropLast(".fault".count)) }
    let text: [UInt8]
    do throws(SystemError) {
      text = try FileSystem.contents(of: path, limit: 1 << 20)
    } catch {
      throw .unreadable(error)
    }
    return try load(text, name: name)
  }

  /// Parses a script and holds it against cards and personas.
  func load(_ text: [UInt8], name: String) throws(LibraryError) -> Script {
    do throws(ScriptError) {
      return try ScriptLoader(cards: cards).load(text, name: name)
    } catch {
      throw .text(error)
    }
  }

  /// The text of `FaultScripts/allowed`; nil when there is none.
  func allowedText() throws(SystemError) -> [UInt8]? {
    for root in roots {
      let path = root.appending("FaultScripts/allowed")
      if try FileSystem.metadataIfPresent(path, followingLinks: true)?.kind == .regular {
        return try FileSystem.contents(of: path, limit: 1 << 20)
      }
    }
    return nil
  }
}
