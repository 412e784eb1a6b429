public import HarnessKit
import Subjects
public import SystemIO

/// Every engine that can be judged: add one here.
public enum SubjectCatalogue {
  /// A line of `harness list subjects`.
  public struct Entry: Sendable {
    public let name: String
    public let summary: String
    /// The oracle that must object; nil for an engine that should pass.
    public let caughtBy: String?
  }

  public static let all: [Entry] =
    [
      Entry(
        name: OffloadSubject.name, summary: "custody copy, the engine that ships",
        caughtBy: nil)
    ]
    + Saboteur.all.map {
      Entry(name: $0.name, summary: $0.summary, caughtBy: $0.caughtBy)
    }

  public static var names: [String] { all.map(\.name) }

  /// The oracle that must object to a subject.
  static func oracle(thatCatches name: String) -> String? {
    all.first { $0.name == name }?.caughtBy
  }

  /// Makes a subject.
  ///
  /// - `custody`: nil for the binary beside the running one.
  /// - Throws: for a name that is not in the list, or a binary of another build.
  public static func make(
    _ name: String, custody: BytePath? = nil
  ) throws(SubjectFailure) -> any Subject {
    if name == OffloadSubject.name { return try OffloadSubject.make(custody: custody) }
    if let saboteur = Saboteur.named(name) { return try SaboteurSubject.make(saboteur) }
    throw SubjectFailure("no subject is named '\(name)'")
  }
}
