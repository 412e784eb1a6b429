import FaultModel
import SystemIO

/// A target made ready to be compared with requests.
struct TargetMatcher {
  let volume: String
  private let form: Form

  private enum Form {
    case everything
    /// A path as a key of the volume's persona.
    case path(BytePath)
    case glob(Glob)
    /// Source files by index.
    case content(Set<Int>)
    case label(Track.Label)
  }

  init(_ target: Target, sources: SourceIndex, names: NameFolding) {
    volume = target.volume
    switch target.subject {
    case .path(let path): form = .path(names.key(ofPath: path))
    case .glob("**"): form = .everything
    case .glob(let pattern):
      let glob = Glob(pattern)
      form = glob.hasWildcards ? .glob(glob) : .path(names.key(ofPath: BytePath(pattern)))
    case .content(let name): form = .content(sources.indexes(name))
    case .temporary(let number): form = .label(.temporary(number))
    case .marker(let number): form = .label(.marker(number))
    }
  }

  var isWholeVolume: Bool { if case .everything = form { true } else { false } }

  /// The only source file it can mean.
  var sourceFile: Int? {
    if case .content(let files) = form, files.count == 1 { files.first } else { nil }
  }

  /// The path it names, as a key; nil for patterns, contents and labels.
  var path: BytePath? { if case .path(let path) = form { path } else { nil } }

  /// A file that a request is about, as far as it is known.
  func matches(_ track: Track?, paths: [BytePath], keys: [BytePath], sources: [Int]) -> Bool {
    switch form {
    case .everything: true
    case .path(let path): keys.contains(path)
    case .glob(let glob): paths.contains(where: glob.matches)
    case .content(let files):
      track?.identity.map(files.contains) == true || sources.contains(where: files.contains)
    case .label(let label): track?.label == label
    }
  }

  /// A name that a request takes.
  func matches(path: BytePath, key: BytePath, source: Int?, label: Track.Label?) -> Bool {
    switch form {
    case .everything: true
    case .path(let wanted): wanted == key
    case .glob(let glob): glob.matches(path)
    case .content(let files): source.map(files.contains) == true
    case .label(let wanted): label == wanted
    }
  }
}
