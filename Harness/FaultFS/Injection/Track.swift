import FaultModel
import SystemIO

/// What the injector remembers of an inode: which source file it receives, how far it came, and
/// which phases it went through.
final class Track {
  /// The source file whose content it receives, as an index of the SourceIndex.
  var identity: Int?
  /// More than one source file holds the bytes: a final name may still decide.
  var isAmbiguous = false
  /// Writes that were compared with no source found.
  var failedComparisons = 0
  var label: Label?
  /// Bytes of writes that were acknowledged, overlaps counted again.
  var writtenByteCount: UInt64 = 0
  var readByteCount: UInt64 = 0
  /// Something was written since the run began.
  var isWrittenNow = false
  /// Beyond the last byte that a request touched since the mount.
  var touchedEnd: UInt64 = 0
  var phases: PhaseSet = []
  /// Passes of reading over the file, or listings of the folder from the start.
  var passes = 0
  /// Beyond the last byte read in this pass.
  var passEnd: UInt64 = 0
  var openCount = 0
  /// Current paths, as of `stamp`.
  var paths: [BytePath] = []
  /// The same paths as keys of the persona.
  var keys: [BytePath] = []
  /// The source files of which they are the final names.
  var finals: [Int] = []
  var stamp: UInt64 = .max

  enum Label: Hashable {
    case temporary(Int)
    case marker(Int)
    /// A name that was given by link, rename or symlink and that no source file has.
    case passing(Int)

    var text: String {
      switch self {
      case .passing(let number): "<name#\(number)>"
      case .temporary(let number): "<tmp#\(number)>"
      case .marker(let number): "<marker#\(number)>"
      }
    }
  }
}

/// What the injector remembers of an open file.
struct HandleTrack {
  /// The n-th handle of its inode, from 1.
  let ordinal: Int
  let isWriter: Bool
  /// The pass that it takes part in; 0 before its first read.
  var pass = 0
  var hasReachedEnd = false
  /// Entries of a listing that were given out, `.` and `..` left out.
  var listedCount = 0
}
