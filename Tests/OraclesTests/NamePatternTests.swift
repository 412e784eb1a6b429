import FaultModel
import SystemIO
import Testing

@testable import Oracles

@Suite struct NamePatternTests {
  @Test(
    "scripts: a bare path is a pattern: * within a name, ** across names, ? one character",
    arguments: [
      ("**", "a", true), ("**", "a/b/c", true), ("*", "a/b", false), ("*", "a", true),
      ("a/*", "a/b", true), ("a/*", "a/b/c", false), ("a/**", "a/b/c", true), ("a/**", "a", true),
      ("**/c", "c", true), ("**/c", "a/b/c", true), ("**/*", "a", true), ("a/**/c", "a/c", true),
      ("a/**/c", "a/b/b/c", true), ("a/**/c", "a/b/d", false), ("C000?.MP4", "C0001.MP4", true),
      ("C000?.MP4", "C00011.MP4", false), ("?", "\u{e9}", true), ("?", "e\u{301}", false),
      ("*.MP4", "a.b.MP4", true), ("*.MP4", "a.mp4", false), ("*a*b*", "xxaxxbxx", true),
      ("*a*b*", "xxbxxaxx", false), ("a", "a", true), ("a", "b/a", false), ("", "a", false),
      ("Reports/**", "Reports/x.json", true), ("[ab]", "a", false),
    ])
  func anchored(pattern: String, path: String, matches: Bool) {
    #expect(NamePattern(pattern, isSuffix: false).matches(BytePath(path)) == matches)
  }

  static let card: [BytePath] = [
    "PRIVATE/M4ROOT/CLIP/C0001.MP4", "PRIVATE/M4ROOT/CLIP/C0002.MP4", "DCIM/XC0002.MP4",
    "DCIM/100MSDCF/DSC00001.JPG", "DCIM/100MSDCF/DSC00002.JPG", "PRIVATE/M4ROOT/THMBNL/C0002.MP4",
  ]

  @Test(
    "scripts: X is a suffix on whole components, a pattern may match several",
    arguments: [
      (FaultModel.Expectation.FileName.suffix("C0001.MP4"), [0]), (.suffix("CLIP/C0002.MP4"), [1]),
      (.suffix("C0002.MP4"), [1, 5]), (.suffix("0001.MP4"), []), (.suffix(""), []),
      (.suffix("PRIVATE/M4ROOT/CLIP/C0001.MP4"), [0]), (.suffix("c0001.mp4"), []),
      (.glob("DCIM/100MSDCF/*"), [3, 4]), (.glob("*.MP4"), [0, 1, 2, 5]),
      (.glob("CLIP/*"), [0, 1]), (.glob("*C0002.MP4"), [1, 2, 5]),
      (.glob("PRIVATE/**"), [0, 1, 5]), (.glob("DSC*"), [3, 4]),
    ])
  func suffix(name: FaultModel.Expectation.FileName, indices: [Int]) {
    #expect(name.matches(among: Self.card) == indices.map { Self.card[$0] })
  }

  @Test("names are bytes: a suffix keeps NFC and NFD apart")
  func bytes() {
    let twins: [BytePath] = ["DCIM/\u{e9}.mov", "DCIM/e\u{301}.mov"]
    let name = FaultModel.Expectation.FileName.suffix("e\u{301}.mov")
    #expect(name.matches(among: twins) == [twins[1]])
  }
}
