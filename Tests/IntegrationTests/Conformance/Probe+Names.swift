import Glibc
import SystemIO

extension Probe {
  /// Which names are taken, and how they are listed.
  static let names =
    forbidden
    + ["tab": "\t", "delete": "\u{7f}"].sorted { $0.key < $1.key }.map {
      making("names: \($0.key) in a name", BytePath($0.value))
    }
    + [
      making("names: a dot at the end", "a."), making("names: dots at the end", "a..."),
      making("names: a blank at the end", "a "), making("names: a blank before", " a"),
      making("names: only dots", "..."), making("names: CON", "CON"),
      making("names: nul.txt", "nul.txt"), making("names: semicolon", "a;b"),
      making("names: plus, comma, brackets", "a+b,c[1]="), making("names: emoji", "\u{1f600}"),
      making("names: private use", "\u{f022}"), making("names: zero width", "a\u{200b}b"),
      making("names: byte order mark", "\u{feff}a"), making("names: not a character", "\u{ffff}"),
      Probe("names: NFC and NFD") { site in
        let composed = site.creating("\u{e9}")
        let decomposed = site.creating("e\u{301}")
        return "\(composed), \(decomposed), \(try site.listed().count) listed"
      },
      Probe("names: bytes are listed as given") { site in
        let given: [BytePath] = ["\u{e9}", "e\u{301}", "\u{6f22}", "\u{1f600}"]
        for name in given { try site.make(name) }
        let listed = try PinnedDirectory.open(FileSystem.resolve(site.folder)).list().map(\.name)
        return listed.sorted() == given.sorted() ? "yes" : "no"
      },
      Probe("names: stat of a forbidden one") { site in site.answer("a:b") { access($0, F_OK) } },
      Probe("names: mkdir of a forbidden one") { site in site.makingFolder("a:b") },
      Probe("names: rename to a forbidden one") { site in
        try site.make("f")
        let answer = site.answer("f", "a?b") { Glibc.rename($0, $1) }
        return "\(answer), \(try site.names())"
      },
      Probe("names: listing order after a removal") { site in
        for name in ["c", "a", "b"] as [BytePath] { try site.make(name) }
        try site.must("unlink", site.answer("c") { unlink($0) })
        try site.make("d")
        return try site.listed().joined(separator: " ")
      },
    ] + malformed

  private static let forbidden =
    Array("\"*:<>?\\|".utf8).map { byte in
      Probe("names: 0x\(String(byte, radix: 16)) in a name") { site in
        site.creating(BytePath([0x61, byte, 0x62]) ?? "")
      }
    } + [
      Probe("names: 0x01 to 0x1f in a name") { site in
        Set((1...0x1f).map { site.creating(BytePath([0x61, UInt8($0)]) ?? "") }).sorted()
          .joined(separator: ", ")
      }
    ]

  /// Bytes that are no UTF-8, but for what docs/conformance.md leaves out.
  private static let malformed =
    [
      ("a lone continuation", [0x61, 0x80]), ("a sequence cut short", [0x61, 0xc3]),
      ("0xff", [0x61, 0xff]),
    ].map { (what: String, bytes: [UInt8]) in
      Probe("names: not UTF-8: \(what)") { site in site.creating(BytePath(bytes) ?? "") }
    } + [
      Probe("names: not UTF-8: stat") { site in
        site.answer(BytePath([0x61, 0xff]) ?? "") { access($0, F_OK) }
      },
      Probe("names: not UTF-8: an overlong a, beyond Unicode") { site in
        let names: [[UInt8]] = [[0xc1, 0xa1], [0xf4, 0x90, 0x80, 0x80]]
        return names.map { site.creating(BytePath($0) ?? "") }.joined(separator: ", ")
      },
    ]

  private static func making(_ name: String, _ made: BytePath) -> Probe {
    Probe(name) { site in
      let answer = site.creating(made)
      return answer == "ok" ? "ok, lists \(try site.names())" : answer
    }
  }

  /// The longest names.
  static let lengths =
    [
      ("255 letters", "a", 255), ("256 letters", "a", 256), ("255 of two bytes", "\u{e9}", 255),
      ("255 of three bytes", "\u{6f22}", 255), ("256 of three bytes", "\u{6f22}", 256),
      ("127 emoji", "\u{1f600}", 127), ("128 emoji", "\u{1f600}", 128),
    ].flatMap { (what: String, letter: String, count: Int) in
      let name = BytePath(String(repeating: letter, count: count))
      return [
        Probe("length: \(what)") { site in
          let answer = site.creating(name)
          if answer != "ok" { return answer }
          let listed = try PinnedDirectory.open(FileSystem.resolve(site.folder)).list()
          return listed.map(\.name) == [name] ? "ok, listed" : "ok, not listed"
        },
        Probe("length: stat, \(what)") { site in site.answer(name) { access($0, F_OK) } },
      ]
    } + [
      Probe("length: 127 emoji and a letter") { site in
        site.creating(BytePath(String(repeating: "\u{1f600}", count: 127) + "a"))
      },
      Probe("length: rename to 256") { site in
        try site.make("f")
        return site.answer("f", BytePath(String(repeating: "a", count: 256))) {
          Glibc.rename($0, $1)
        }
      },
    ]
}
