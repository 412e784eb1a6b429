import FaultModel
import SystemIO

/// The repository's folders, found from this file.
enum RepositoryPaths {
  static let root: BytePath = {
    var path = BytePath(#filePath)
    for _ in 0..<3 { path = path.parent ?? path }
    return path
  }()

  static let cards = CardLibrary(folders: [root.appending("Fixtures/cards")])
  static let scripts = ScriptLibrary(folders: [root.appending("FaultScripts")])
  static let loader = ScriptLoader(cards: cards)
}
