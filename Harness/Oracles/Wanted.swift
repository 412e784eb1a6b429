import FaultModel
import HarnessKit
import SystemIO

/// An `expect` line made into sets of files, so that two oracles can read it from both sides: what
/// must fail (expectation) and what must not (no false alarm).
struct Wanted {
  /// Files that must fail, with the volumes on which they must.
  var mustFail: Set<CaseView.Place> = []
  /// Files that may fail or not.
  var mayFail: Set<CaseView.Place> = []
  /// At least one of `mayFail` must.
  var needsOneFailure = false
  /// Mistakes of the script: a name that no file or more than one has.
  var mistakes: [String] = []
  /// False when the universal oracles alone decide.
  var judgesTheRest = true

  init(_ expectation: Expectation?, run index: Int, in view: CaseView) {
    let run = view.artefacts.runs[index]
    let planned = Set(view.sourceFiles(run: index).keys)
    func places(_ paths: some Sequence<BytePath>, _ volume: String?) -> Set<CaseView.Place> {
      let volumes = volume.map { [$0] } ?? run.destinations
      return Set(paths.flatMap { path in volumes.map { CaseView.Place(volume: $0, path: path) } })
    }
    switch expectation {
    case .verified, .copied, .incomplete: break
    case .failedAll(let volume): mustFail = places(planned, volume)
    case .failedSome(let volume):
      mayFail = places(planned, volume)
      needsOneFailure = true
    case .failed(let names, let volume):
      let known = Self.knownFiles(planned, run)
      for name in names {
        let found = name.matches(among: known)
        if let mistake = Self.mistake(name, found) { mistakes.append(mistake) }
        mustFail.formUnion(places(found, volume))
      }
    case .undetectable:
      for place in places(planned, nil)
      where view.isUndetectable(place.path, on: place.volume, run: index) {
        mayFail.insert(place)
      }
    case .refused, .recovery, .sound, .interrupted, .warns: judgesTheRest = false
    case nil: judgesTheRest = view.artefacts.fired.values.allSatisfy { $0 == 0 }
    }
  }

  /// Files that a script may name: planned ones, and those that a rule added to the source.
  private static func knownFiles(_ planned: Set<BytePath>, _ run: RunRecord) -> Set<BytePath> {
    let after = run.volatile[CaseView.source]?.files.map(\.path) ?? []
    return planned.union(after).union(run.report.rows.map(\.path))
  }

  private static func mistake(_ name: Expectation.FileName, _ found: [BytePath]) -> String? {
    switch name {
    case .suffix(let path) where found.isEmpty: "no source file is named \(path.escaped)"
    case .suffix(let path) where found.count > 1:
      "\(found.count) source files are named \(path.escaped)"
    case .glob(let pattern) where found.isEmpty: "no source file matches \(pattern)"
    default: nil
    }
  }
}
