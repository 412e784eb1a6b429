import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Oracles

/// A made-by-hand case and the oracles that must find something in it, no more and no fewer.
struct Sample: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let finders: Set<String>
  let edit: @Sendable (inout CaseBuilder) -> Void
  var destinations = ["dst"]

  init(
    _ text: String, _ finders: Set<String>, destinations: [String] = ["dst"],
    _ edit: @escaping @Sendable (inout CaseBuilder) -> Void
  ) {
    testDescription = text
    self.finders = finders
    self.destinations = destinations
    self.edit = edit
  }

  var found: Set<String> {
    var builder = CaseBuilder(destinations: destinations)
    edit(&builder)
    return builder.finders
  }
}

private let first = CaseBuilder.first
private let second = CaseBuilder.second
private let marker = BytePath("CLIP/.custody-status-0123456789abcdef0123456789abcdef")
private let temporary = BytePath("CLIP/.custody.tmp.0123456789abcdef0123456789abcdef")

@Suite struct ViolationTests {
  @Test("truth: every claim holds on the medium, at its level", arguments: truthSamples)
  func truth(sample: Sample) { #expect(sample.found == sample.finders) }

  static let truthSamples: [Sample] = [
    Sample("a sound case", []) { _ in },
    Sample("the medium has nothing of a claimed file", ["truth"]) {
      $0.run.durable["dst"]?.entries[first] = nil
    },
    Sample("other bytes on the medium only", ["truth", "no impostor"]) {
      $0.run.durable["dst"]?.entries[first] = .file("other")
    },
    Sample("a folder stands where a file is claimed", ["truth", "no impostor"]) {
      $0.run.put(TreeEntry(kind: .directory), at: first)
    },
    Sample("one of two destinations lies", ["truth"], destinations: ["dst", "dst2"]) {
      $0.run.durable["dst2"]?.entries[second] = nil
    },
    Sample("an empty folder of the card is missing on the medium", ["truth"]) {
      $0.before["src"]?.add(folder: "CLIP/EMPTY")
      $0.run.volatile["src"]?.add(folder: "CLIP/EMPTY")
      $0.run.volatile["dst"]?.add(folder: "CLIP/EMPTY")
    },
    Sample("a file stands where a folder of the card is claimed", ["truth"]) {
      addEmptyFolder(&$0)
      $0.run.durable["dst"]?.entries["CLIP/EMPTY"] = .file("x")
    },
    Sample("a folder that is missing is no lie of a run that failed", []) {
      addEmptyFolder(&$0)
      failFirst(&$0)
      $0.run.put(nil, at: "CLIP/EMPTY")
    },
    Sample("nor is one that the rig changed on the card", []) {
      addEmptyFolder(&$0)
      $0.run.put(nil, at: "CLIP/EMPTY")
      $0.act(.changed, "src", "CLIP/EMPTY")
    },
    Sample("a claim for a file that the source does not hold", ["truth"]) {
      $0.run.rows.append(.verified("CLIP/C0009.MP4", on: "dst"))
    },
    Sample("verified from a cache", ["truth"]) {
      $0.run.rows[0] = .verified(first, on: "dst", level: "cached")
    },
    Sample("more than the facts allow", ["truth"]) {
      $0.personas["dst"] = .test(level: "cached")
    },
    Sample("verified in quick mode", ["truth"]) {
      $0.mode = .quick
    },
    Sample("claims before a kill hold as well", ["truth"]) {
      $0.run.expectations = []
      $0.run.isPresent = false
      $0.run.ending = .signalled(9, byRig: true)
      $0.run.durable["dst"]?.entries[first] = nil
    },
    Sample("a later run takes it from the medium", ["truth"]) {
      var again = $0.run
      again.rows.removeAll { $0.path == first }
      again.rows.append(.failed(first, on: "dst"))
      again.end("failed", 1)
      again.expectations = [.failed([.suffix("C0001.MP4")], on: nil)]
      again.durable["dst"]?.entries[first] = nil
      $0.runs.append(again)
    },
    Sample("after a change the final state is the truth", ["truth"]) {
      $0.run.volatile["src"]?.entries[first] = .file("new")
      $0.act(.changed, "src", first)
    },
    Sample("and a copy of it is true", []) {
      $0.run.volatile["src"]?.entries[first] = .file("new")
      $0.run.put(.file("new"), at: first)
      $0.act(.changed, "src", first)
    },
    Sample("a stable substitution of equal length is the truth", []) {
      $0.rule(.corrupt(.read, .path(first, on: "src"), .junk)) { $0.repetition = .always }
      $0.run.put(.file("as every read says"), at: first)
    },
    Sample("not of another length", ["truth", "no impostor"]) {
      $0.rule(.corrupt(.read, .path(first, on: "src"), .junk)) { $0.repetition = .always }
      $0.run.put(.file("short", byteCount: 99), at: first)
    },
    Sample("not when only one pass is wrong", ["truth", "no impostor"]) {
      $0.rule(.corrupt(.read, .path(first, on: "src"), .junk)) {
        $0.repetition = .always
        $0.pass = 1
      }
      $0.run.put(.file("wrong"), at: first)
    },
    Sample("undetectable: truth is not asked of the faulted file", []) {
      $0.rule(.drop([.fsync], .path(first)))
      $0.run.expectations = [.undetectable("a drive that lies")]
      $0.run.durable["dst"]?.entries[first] = nil
    },
    Sample("undetectable: but of the others", ["truth"]) {
      $0.rule(.drop([.fsync], .path(first)))
      $0.run.expectations = [.undetectable("a drive that lies")]
      $0.run.durable["dst"]?.entries[second] = nil
    },
    Sample("undetectable: but no more than the stated level", ["truth"]) {
      $0.rule(.drop([.fsync], .path(first)))
      $0.run.expectations = [.undetectable("a drive that lies")]
      $0.personas["dst"] = .test(level: "cached")
      $0.run.rows[1] = .copied(second, on: "dst")
      $0.run.end("failed", 1)
      $0.run.problems = ["the level of one file"]
    },
    Sample("an inode that the rig swapped in is no evidence", []) {
      $0.run.put(.file("swapped"), at: first)
      $0.act(.swapped, "dst", first)
    },
  ]

  @Test("no impostor: nothing partial or wrong under a final name", arguments: impostorsSamples)
  func impostor(sample: Sample) { #expect(sample.found == sample.finders) }

  static let impostorsSamples: [Sample] = [
    Sample("a half file under the final name", ["no impostor"]) {
      failFirst(&$0)
      $0.run.put(.file("half", byteCount: 50), at: first)
    },
    Sample("on the medium only", ["no impostor"]) {
      failFirst(&$0)
      $0.run.durable["dst"]?.entries[first] = .file("half", byteCount: 50)
    },
    Sample("for those who look only", ["no impostor"]) {
      failFirst(&$0)
      $0.run.volatile["dst"]?.entries[first] = .file("half", byteCount: 50)
    },
    Sample("a symbolic link", ["no impostor"]) {
      failFirst(&$0)
      $0.run.put(TreeEntry(kind: .symlink, linkText: "elsewhere"), at: first)
    },
    Sample("a whole file that failed later is none", []) {
      failFirst(&$0)
      $0.run.put(.file("one"), at: first)
    },
    Sample("an older file of that name is none", []) {
      failFirst(&$0)
      $0.run.put(.file("older"), at: first)
      $0.before["dst"]?.entries[first] = .file("older")
    },
    Sample("a marker on a volume without links excuses it", []) {
      failMarked(&$0)
    },
    Sample("not where links work", ["no impostor"]) {
      failMarked(&$0)
      $0.personas["dst"] = .test()
    },
    Sample("unless a rule made link fail", []) {
      failMarked(&$0)
      $0.personas["dst"] = .test()
      $0.rule(.fail([.link], .path("**"), .notSupported, forced: false, .plain))
    },
    Sample("a marker that is not durable excuses nothing", ["no impostor"]) {
      failMarked(&$0)
      $0.run.durable["dst"]?.entries[marker] = nil
    },
    Sample("a marker for another name excuses nothing", ["no impostor"]) {
      failMarked(&$0)
      $0.run.put(.marker(for: "C0002.MP4"), at: marker)
    },
    Sample("a write that the rig led elsewhere is no evidence", []) {
      failFirst(&$0)
      $0.run.put(.file("hit"), at: first)
      $0.act(.misdirected, "dst", first)
    },
    Sample("a file that another program put there meanwhile is none of its copies", []) {
      failFirst(&$0)
      $0.run.put(.file("another's"), at: first)
      $0.act(.changed, "dst", first)
    },
    Sample("a spoilt write is: a copy must be read back before it is published", ["no impostor"]) {
      failFirst(&$0)
      $0.run.put(.file("spoilt"), at: first)
      $0.act(.corrupted, "dst", first)
    },
    Sample("a copy of what the file was before it changed is whole", []) {
      failFirst(&$0)
      $0.run.put(.file("one"), at: first)
      $0.run.volatile["src"]?.entries[first] = .file("new")
      $0.act(.changed, "src", first)
    },
    Sample("a mixture of both states is not", ["no impostor"]) {
      failFirst(&$0)
      $0.run.put(.file("mixed"), at: first)
      $0.run.volatile["src"]?.entries[first] = .file("new")
      $0.act(.changed, "src", first)
    },
    Sample("copied without proof, and not there", ["no impostor"]) {
      $0.personas["dst"] = .test(level: "cached")
      $0.run.rows = [.copied(first, on: "dst"), .copied(second, on: "dst")]
      $0.run.end("copiedNotVerified", 5)
      $0.run.expectations = [.copied]
      $0.run.put(nil, at: first)
    },
    Sample("copied without proof, with other bytes", ["no impostor"]) {
      $0.personas["dst"] = .test(level: "cached")
      $0.run.rows = [.copied(first, on: "dst"), .copied(second, on: "dst")]
      $0.run.end("copiedNotVerified", 5)
      $0.run.expectations = [.copied]
      $0.run.put(.file("other"), at: first)
    },
  ]

  @Test("nothing harmed: what was on a destination stays", arguments: harmSamples)
  func harmed(sample: Sample) { #expect(sample.found == sample.finders) }

  static let harmSamples: [Sample] = [
    Sample("an old file that stays", []) { addOld(&$0) },
    Sample("an old file that goes", ["nothing harmed"]) {
      addOld(&$0)
      $0.run.put(nil, at: "old/a.mov")
    },
    Sample("an old file with other bytes", ["nothing harmed"]) {
      addOld(&$0)
      $0.run.put(.file("new"), at: "old/a.mov")
    },
    Sample("an old file cut short", ["nothing harmed"]) {
      addOld(&$0)
      $0.run.put(.file("old", byteCount: 0), at: "old/a.mov")
    },
    Sample("an old link that points elsewhere", ["nothing harmed"]) {
      $0.before["dst"]?.entries["l"] = TreeEntry(kind: .symlink, linkText: "a")
      $0.run.put(TreeEntry(kind: .symlink, linkText: "b"), at: "l")
    },
    Sample("an old folder that became a file", ["nothing harmed"]) {
      addOld(&$0)
      $0.run.put(.file("x"), at: "old")
    },
    Sample("an older file in the way is overwritten", ["nothing harmed"]) {
      $0.before["dst"]?.entries[first] = .file("older")
    },
    Sample("in the second run", ["nothing harmed"]) {
      var again = $0.run
      again.put(nil, at: first)
      again.rows[0] = .failed(first, on: "dst")
      again.end("failed", 1)
      again.expectations = [.failed([.suffix("C0001.MP4")], on: nil)]
      $0.runs.append(again)
    },
    Sample("temporary names and marked files of a dead run may go", []) {
      $0.before["dst"]?.entries[temporary] = .file("half")
      $0.before["dst"]?.entries[marker] = .marker(for: "C0001.MP4")
      $0.before["dst"]?.entries[first] = .file("half", byteCount: 50)
    },
    Sample("a name that only looks like ours may not", ["nothing harmed"]) {
      $0.before["dst"]?.entries["CLIP/custody.tmp.1"] = .file("mine")
    },
    Sample("what was not durable is lost with an ejection, not by the subject", []) {
      var again = $0.run
      $0.run.volatile["dst"]?.entries["late"] = .file("late")
      $0.run.leftBehind = [.init(volume: "dst", path: "late")]
      again.put(nil, at: "late")
      $0.runs.append(again)
      $0.act(.ejected, "dst")
    },
    Sample("what was durable is not", ["nothing harmed"]) {
      var again = $0.run
      $0.run.put(.file("late"), at: "late")
      $0.run.leftBehind = [.init(volume: "dst", path: "late")]
      again.put(nil, at: "late")
      $0.runs.append(again)
      $0.act(.ejected, "dst")
    },
    Sample("the folder that an ejection lays bare", ["nothing harmed"]) {
      $0.surroundings.parentChanges = ["appeared: /mnt/dst/CLIP"]
    },
    Sample("the rig's own act", []) {
      addOld(&$0)
      $0.run.put(.file("hit"), at: "old/a.mov")
      $0.act(.misdirected, "dst", "old/a.mov")
    },
  ]

  @Test("source untouched: names, bytes, sizes, times and modes", arguments: sourceSamples)
  func source(sample: Sample) { #expect(sample.found == sample.finders) }

  static let sourceSamples: [Sample] = [
    Sample("a file appears", ["source untouched"]) {
      $0.run.volatile["src"]?.entries[".DS_Store"] = .file("x")
    },
    Sample("a file vanishes", ["source untouched"]) {
      $0.run.volatile["src"]?.entries[first] = nil
    },
    Sample("other bytes", ["source untouched"]) {
      $0.run.volatile["src"]?.entries[first] = .file("one!")
      $0.run.put(.file("one"), at: first)
    },
    Sample("another size", ["source untouched"]) {
      $0.run.volatile["src"]?.entries[first]?.byteCount = 1
    },
    Sample("another time", ["source untouched"]) {
      $0.run.volatile["src"]?.entries[first]?.modification += 1
    },
    Sample("another mode", ["source untouched"]) {
      $0.run.volatile["src"]?.entries["CLIP"]?.mode = 0o700
    },
    Sample("another time of a folder", ["source untouched"]) {
      $0.run.volatile["src"]?.entries["CLIP"]?.modification += 1
    },
    Sample("a folder's time follows the rig's own change in it", []) {
      $0.run.volatile["src"]?.entries["CLIP"]?.modification += 1
      $0.act(.changed, "src", first)
    },
    Sample("the rig's own change", []) {
      $0.run.volatile["src"]?.entries[first]?.modification += 1
      $0.act(.changed, "src", first)
    },
    Sample("a folder that the rig replaced, with all that was in it", []) {
      $0.run.volatile["src"]?.entries[first] = nil
      $0.run.volatile["src"]?.entries["CLIP"] = TreeEntry(kind: .symlink, linkText: "x")
      $0.act(.changed, "src", "CLIP")
    },
    Sample("the second run's harm is found as well", ["source untouched"]) {
      var again = $0.run
      again.volatile["src"]?.entries[first]?.mode = 0
      $0.runs.append(again)
    },
  ]
}

@Sendable func failFirst(_ builder: inout CaseBuilder) {
  builder.run.fail()
  builder.run.expectations = [.failed([.suffix("C0001.MP4")], on: nil)]
}

/// An empty folder on the card and on every layer of the copy.
@Sendable func addEmptyFolder(_ builder: inout CaseBuilder) {
  builder.before["src"]?.add(folder: "CLIP/EMPTY")
  builder.run.volatile["src"]?.add(folder: "CLIP/EMPTY")
  builder.run.volatile["dst"]?.add(folder: "CLIP/EMPTY")
  builder.run.durable["dst"]?.add(folder: "CLIP/EMPTY")
}

@Sendable func failMarked(_ builder: inout CaseBuilder) {
  failFirst(&builder)
  builder.personas["dst"] = .test(links: false)
  builder.run.put(.file("half", byteCount: 50), at: first)
  builder.run.put(.marker(for: "C0001.MP4"), at: marker)
  builder.run.leftBehind = [.init(volume: "dst", path: marker)]
}

@Sendable func addOld(_ builder: inout CaseBuilder) {
  for (path, entry) in [
    (BytePath("old"), TreeEntry(kind: .directory)), ("old/a.mov", TreeEntry.file("old")),
  ] {
    builder.before["dst"]?.entries[path] = entry
    builder.run.put(entry, at: path)
  }
}
