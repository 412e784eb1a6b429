import FaultModel
import SystemIO

/// Looks at a volume with tools that share no code with the harness (`find` and `xxh128sum`, over
/// a `view` mount) and compares what they see with the rig's own snapshot.
struct OutsideJudge {
  private let find: BytePath
  private let sum: BytePath
  /// For the tools' output.
  private let scratch: BytePath

  /// nil when one of the tools is not installed.
  init?(scratch: BytePath) {
    guard let find = Captured.tool("find"), let sum = Captured.tool("xxh128sum") else {
      return nil
    }
    self.find = find
    self.sum = sum
    self.scratch = scratch
  }

  /// The first disagreement between the mounted tree and the snapshot; nil when they agree.
  ///
  /// Only child processes touch the mount: this process must not block on one of the rig's.
  func disagreement(
    at mountPoint: BytePath, with snapshot: TreeSnapshot
  ) throws(SystemError) -> String? {
    let listing = try Captured.run(
      find, [[UInt8]]([".", "-mindepth", "1", "-printf", "%y %s %P\\0"].map { Array($0.utf8) }),
      in: mountPoint, folder: scratch)
    guard listing.status?.isSuccess == true else {
      return "find failed: \(Self.firstLine(listing.errors))"
    }
    let seen = Self.lines(of: listing.output)
    let expected = snapshot.entries.filter { !$0.key.bytes.isEmpty }
      .map { Self.line($0.key, $0.value) }.sorted { $0.lexicographicallyPrecedes($1) }
    if let odd = Self.firstDifference(expected, seen) { return odd }
    return try digestDisagreement(at: mountPoint, snapshot)
  }

  /// `f 123 PATH`, as find prints it; sizes count for files only.
  private static func line(_ path: BytePath, _ entry: TreeEntry) -> [UInt8] {
    let kind =
      switch entry.kind {
      case .file: "f \(entry.byteCount) "
      case .directory: "d "
      case .symlink: "l "
      case .fifo: "p "
      case .other: "s "
      }
    return Array(kind.utf8) + path.bytes
  }

  private static func lines(of output: [UInt8]) -> [[UInt8]] {
    output.split(separator: 0).map { entry in
      let fields = entry.split(
        separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return Array(entry) }
      let isFile = fields[0].first == UInt8(ascii: "f")
      let blank: [UInt8] = [UInt8(ascii: " ")]
      return Array(fields[0]) + blank + (isFile ? fields[1] + blank : []) + fields[2]
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func firstDifference(_ expected: [[UInt8]], _ seen: [[UInt8]]) -> String? {
    let missing = Set(expected).subtracting(seen).min { $0.lexicographicallyPrecedes($1) }
    if let missing { return "the rig has '\(escaped(missing))', find does not see it" }
    let extra = Set(seen).subtracting(expected).min { $0.lexicographicallyPrecedes($1) }
    return extra.map { "find sees '\(escaped($0))', the rig does not have it" }
  }

  private static func escaped(_ bytes: [UInt8]) -> String { BytePath(bytes)?.escaped ?? "?" }

  private func digestDisagreement(
    at mountPoint: BytePath, _ snapshot: TreeSnapshot
  ) throws(SystemError) -> String? {
    var rest = snapshot.files[...]
    while !rest.isEmpty {
      let batch = rest.prefix(200)
      rest = rest.dropFirst(200)
      let dot = Array("./".utf8)
      let result = try Captured.run(
        sum, [Array("--".utf8)] + batch.map { dot + $0.path.bytes }, in: mountPoint,
        folder: scratch, timeout: .seconds(120))
      let names = batch.map { dot + $0.path.bytes }
      guard result.status?.isSuccess == true,
        let digests = Self.digests(in: result.output, of: names)
      else {
        return "xxh128sum failed: \(Self.firstLine(result.errors))"
      }
      for (file, digest) in zip(batch, digests) where file.entry.digest != digest {
        return "\(file.path.escaped): the rig says \(file.entry.digest), xxh128sum says \(digest)"
      }
    }
    return nil
  }

  /// The digests in the tool's output, one for each name in order; nil when it does not fit.
  ///
  /// Names are taken by their length: this tool writes a line feed in a name as it is, a later one
  /// escapes the name and says so by a backslash in front of the line.
  private static func digests(in output: [UInt8], of names: [[UInt8]]) -> [String]? {
    var rest = output[...]
    var digests: [String] = []
    for name in names {
      let isEscaped = rest.first == UInt8(ascii: "\\")
      if isEscaped { rest = rest.dropFirst() }
      guard rest.count > 34 else { return nil }
      digests.append(String(decoding: rest.prefix(32), as: UTF8.self))
      rest = rest.dropFirst(34)
      if isEscaped {
        rest = rest.drop { $0 != 0x0a }
      } else if rest.starts(with: name) {
        rest = rest.dropFirst(name.count)
      }
      guard rest.first == 0x0a else { return nil }
      rest = rest.dropFirst()
    }
    return rest.isEmpty ? digests : nil
  }

  private static func firstLine(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
  }
}
