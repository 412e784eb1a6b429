import FaultModel
import SystemIO
import Testing

/// A card of Fixtures/cards as real files.
struct Card {
  let path: BytePath
  let layout: CardLayout
  /// What `sha256sum` said of the files when they were made.
  private let sums: String

  /// Writes the card's files and folders below a new folder.
  init(_ name: String, in scratch: Scratch, seed: UInt64 = 20_260_711) throws {
    let root = try #require(BytePath(#filePath).parent?.parent?.parent)
    let library = CardLibrary(folders: [root.appending("Fixtures/cards")])
    layout = try library.card(named: name)
    path = try scratch.folder(BytePath(name))
    for entry in layout.entries {
      let place = path.appending(entry.path)
      guard let byteCount = entry.byteCount else {
        try FileSystem.makeDirectories(place)
        continue
      }
      try FileSystem.makeDirectories(try #require(place.parent))
      let key = Content.Key(seed: seed, volume: name, path: entry.path.bytes)
      let bytes = Content(key: key, byteCount: byteCount).bytes(at: 0, count: Int(byteCount))
      let file = try FileDescriptor.open(place, .writeOnly, options: .exclusiveCreate)
      try file.writeAll(bytes)
      try file.setTimes(modification: entry.time)
      try file.close()
    }
    sums = try Self.sums(of: path)
  }

  /// Fails the test unless every file below `copy` has the card's bytes and every folder is there,
  /// by `sha256sum` and `find`, and each file its modification time within FAT's two seconds.
  func expectCopy(_ copy: BytePath, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let copied = try Self.sums(of: copy)
    #expect(copied == sums, sourceLocation: sourceLocation)
    #expect(
      try Self.folders(of: copy) == Self.folders(of: path), sourceLocation: sourceLocation)
    for entry in layout.entries where entry.byteCount != nil {
      let found = try FileSystem.metadata(copy.appending(entry.path), followingLinks: false)
      let difference = abs(found.modification.seconds - entry.time.seconds)
      #expect(difference <= 2, "\(entry.path)", sourceLocation: sourceLocation)
    }
  }

  /// Fails the test unless the card is as it was made.
  func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try Self.sums(of: path) == sums, sourceLocation: sourceLocation)
  }

  /// `<digest>  ./<path>` of every file, the report's folder left out.
  private static func sums(of folder: BytePath) throws -> String {
    try list(folder, "find . -path ./Reports -prune -o -type f -exec sha256sum {} + | sort -k 2")
  }

  private static func folders(of folder: BytePath) throws -> String {
    try list(folder, "find . -path ./Reports -prune -o -type d -print | sort")
  }

  private static func list(_ folder: BytePath, _ script: BytePath) throws -> String {
    try Tool.must(
      "/bin/sh", ["-c", BytePath("set -e; export LC_ALL=C; \(script)")], directory: folder)
  }
}

extension CardLayout.Entry {
  fileprivate var time: Timestamp {
    let (seconds, nanoseconds) = modification.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }
}
