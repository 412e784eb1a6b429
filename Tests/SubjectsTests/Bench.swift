import FaultModel
import Glibc
import HarnessKit
import Subjects
import SystemIO
import Testing

/// A small card, an empty destination and a subject, in a folder that goes away.
struct Bench {
  let subject: EngineSubject
  let way: Way
  let folder: BytePath
  let destination: BytePath

  struct Way: CustomTestStringConvertible, Sendable {
    let name: String
    let isFresh: Bool

    var testDescription: String { "\(name), \(isFresh ? "a process of its own" : "a worker")" }
  }

  static let ways = ["offload", "honest"].flatMap { name in
    [Way(name: name, isFresh: false), Way(name: name, isFresh: true)]
  }

  /// The folder of the binaries that were built with this test.
  private static let products = (try? FileSystem.readLink("/proc/self/exe"))?.parent ?? "/"

  private static func binary(_ name: BytePath) -> BytePath {
    // The test runner of newer toolchains lies elsewhere; the build folder is always this one.
    let beside = products.appending(name)
    if exists(beside) { return beside }
    let package = BytePath(#filePath).parent?.parent?.parent ?? "/"
    return package.appending(".build/debug").appending(name)
  }

  private static func exists(_ path: BytePath) -> Bool {
    (try? FileSystem.metadata(path, followingLinks: true)) != nil
  }

  static let hasBinaries = exists(binary("harness")) && exists(binary("custody"))

  static let files: [(path: BytePath, bytes: [UInt8])] = [
    ("CLIP/C0001.MP4", (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }),
    ("CLIP/C0002.MP4", Array("second".utf8)), ("empty.txt", []),
  ]

  static func with(
    _ way: Way, folder name: BytePath = "dst", _ body: (Bench) throws -> Void
  ) throws {
    var template = Array("/tmp/custody-subjects-XXXXXX".utf8CString)
    let made = mkdtemp(&template)
    let folder = try #require(made.map { BytePath(String(cString: $0)) })
    defer { remove(folder) }
    for part in ["src", "scratch", name] as [BytePath] {
      try FileSystem.makeDirectories(folder.appending(part))
    }
    for (path, bytes) in files {
      let file = folder.appending("src").appending(path)
      try FileSystem.makeDirectories(file.parent ?? "")
      try FileDescriptor.open(file, .writeOnly, options: .create, mode: 0o644).writeAll(bytes)
    }
    let subject = try subject(way.name)
    defer { subject.finish() }
    try body(
      Bench(subject: subject, way: way, folder: folder, destination: folder.appending(name)))
  }

  private static func subject(_ name: String) throws -> EngineSubject {
    guard let saboteur = Saboteur.named(name) else {
      return try OffloadSubject.make(custody: binary("custody"))
    }
    return try SaboteurSubject.make(saboteur, harness: binary("harness"))
  }

  private static func remove(_ folder: BytePath) {
    let command = ChildProcess.Command("/bin/rm", [Array("-rf".utf8), folder.bytes])
    var child = try? ChildProcess.spawn(command)
    _ = try? child?.wait()
  }

  func task(
    arguments: [BytePath] = [], headroom: UInt64 = 0, deadline: Double = 60
  ) throws -> SubjectTask {
    let facts = folder.appending("facts.json")
    let root = String(decoding: destination.bytes, as: UTF8.self)
      .replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    let text =
      #"{"volumes":[{"root":"\#(root)","type":"ext4","level":"evicted","inodesLast":true,"#
      + #""changeTimeIsReal":true,"modificationGrainNanoseconds":1,"removable":false}]}"#
    try FileDescriptor.open(facts, .writeOnly, options: [.create, .truncate], mode: 0o644)
      .writeAll(Array(text.utf8))
    return SubjectTask(
      source: folder.appending("src"), destinations: [("dst", destination)], mode: .standard,
      headroom: headroom, factsFile: facts, extraArguments: arguments,
      scratch: folder.appending("scratch"), deadlineSeconds: deadline,
      needsFreshProcess: way.isFresh,
      isolation: Isolation(isEnclosed: Enclosure.problem == nil))
  }

  func run(
    arguments: [BytePath] = [], headroom: UInt64 = 0, deadline: Double = 60
  ) throws -> SubjectOutcome {
    let task = try task(arguments: arguments, headroom: headroom, deadline: deadline)
    return try subject.start(task) { _ in }.wait()
  }
}
