import FaultModel
import HarnessKit
import SystemIO

extension CaseArtefacts {
  /// The same with the paths of destinations spelt as the source spells them, where the volume
  /// takes both for one: a copy that stands under `clip` or in another composition is there to
  /// whoever looks for `CLIP` on that volume.
  func spelledAsSource() -> CaseArtefacts {
    let folding = personas.filter { $0.key != CaseView.source && !$0.value.names.areKeys }
    if folding.isEmpty { return self }
    let known = sourcePaths
    let spellings = folding.mapValues { Spelling(known: known, rules: $0.names) }
    func spelled(_ trees: [String: TreeSnapshot]) -> [String: TreeSnapshot] {
      var trees = trees
      for (volume, spelling) in spellings {
        if let tree = trees[volume] { trees[volume] = spelling.tree(tree) }
      }
      return trees
    }
    var spelt = self
    spelt.before = spelled(before)
    for index in runs.indices {
      spelt.runs[index].before = runs[index].before.map(spelled)
      spelt.runs[index].volatile = spelled(runs[index].volatile)
      spelt.runs[index].durable = spelled(runs[index].durable)
      for (volume, spelling) in spellings {
        guard let paths = runs[index].written[volume] else { continue }
        spelt.runs[index].written[volume] = Set(paths.map { spelling.path($0) })
      }
    }
    for (index, act) in acts.enumerated() {
      guard let spelling = spellings[act.volume], let path = BytePath(act.path) else { continue }
      spelt.acts[index] = RigAct(kind: act.kind, volume: act.volume, path: spelling.path(path))
    }
    return spelt
  }

  /// Whatever the source held at any time.
  private var sourcePaths: Set<BytePath> {
    var paths = Set(plannedSource.paths)
    for trees in [before] + runs.flatMap({ [$0.before ?? [:], $0.volatile] }) {
      if let tree = trees[CaseView.source] { paths.formUnion(tree.entries.keys) }
    }
    return paths
  }
}

/// How the source spells the paths of one volume.
private struct Spelling {
  private let known: Set<BytePath>
  private let rules: Persona.NameRules
  private let byKey: [BytePath: BytePath]

  init(known: Set<BytePath>, rules: Persona.NameRules) {
    self.known = known
    self.rules = rules
    // Of two source files that are one name on the volume, one is as good as the other.
    byKey = Dictionary(
      known.sorted().map { (Self.key($0, rules), $0) }, uniquingKeysWith: { first, _ in first })
  }

  func tree(_ tree: TreeSnapshot) -> TreeSnapshot {
    if tree.entries.keys.allSatisfy({ known.contains($0) }) { return tree }
    var entries = tree.entries
    for (old, entry) in tree.entries where !known.contains(old) {
      let new = path(old)
      // On the medium a name can stand under both spellings, in the middle of a rename.
      if new == old || entries[new] != nil { continue }
      entries[old] = nil
      entries[new] = entry
    }
    return TreeSnapshot(entries: entries)
  }

  func path(_ path: BytePath) -> BytePath {
    if path.bytes.isEmpty || known.contains(path) { return path }
    if let other = byKey[Self.key(path, rules)] { return other }
    guard let parent = path.parent else { return path }
    return self.path(parent).appending(path.lastComponent)
  }

  private static func key(_ path: BytePath, _ rules: Persona.NameRules) -> BytePath {
    path.components.reduce(BytePath("")) { $0.appending(rules.key($1)) }
  }
}
