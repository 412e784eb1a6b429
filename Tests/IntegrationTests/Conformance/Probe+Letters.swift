import Glibc
import SystemIO

extension Probe {
  /// Capitals and small letters.
  static let letters =
    [
      Probe("case: O_EXCL of the other case") { site in
        try site.make("Clip")
        return "\(site.creating("cLIP")), \(try site.names())"
      },
      Probe("case: O_CREAT of the other case") { site in
        try site.make("Clip", "one")
        let file = try site.file("CLIP", O_WRONLY | O_CREAT | O_TRUNC)
        try file.writeAll(Array("two".utf8))
        try file.close()
        return "\(try site.names()), Clip holds \(try site.content("Clip"))"
      },
      Probe("case: mkdir of the other case") { site in
        try site.makeFolder("Clip")
        return "\(site.makingFolder("CLIP")), \(try site.names())"
      },
      Probe("case: mkdir over a file of the other case") { site in
        try site.make("Clip")
        return "\(site.makingFolder("CLIP")), \(try site.names())"
      },
      Probe("case: rename to the other case") { site in
        try site.make("CaSe")
        let answer = site.answer("CaSe", "case") { Glibc.rename($0, $1) }
        return "\(answer), \(try site.names())"
      },
      Probe("case: rename over a file of the other case") { site in
        try site.make("a", "one")
        try site.make("B", "two")
        let answer = site.answer("a", "b") { Glibc.rename($0, $1) }
        return "\(answer), \(try site.names())"
      },
      Probe("case: unlink by the other case") { site in
        try site.make("Clip")
        return "\(site.answer("cLIP") { unlink($0) }), \(try site.names())"
      },
      Probe("case: inode by the other case") { site in
        try site.make("Clip")
        let number = try site.status("Clip").st_ino
        var status = stat()
        let answer = site.answer("cLIP") { lstat($0, &status) }
        return answer != "ok" ? answer : status.st_ino == number ? "the same" : "another"
      },
      Probe("case: every letter of the first plane and its capital") { site in
        var (one, two, sum) = (0, 0, 0)
        for (number, pair) in casePairs.enumerated() {
          // No name twice: the kernel believes the old answer for a second.
          let (small, large) = (BytePath("\(number)\(pair.0)"), BytePath("\(number)\(pair.1)"))
          try site.make(small, "")
          let isOne = site.answer(large) { access($0, F_OK) } == "ok"
          try site.must("unlink", site.answer(small) { unlink($0) })
          if isOne { one += 1 } else { two += 1 }
          sum = (sum &* 31 &+ (isOne ? 1 : 0)) % 1_000_000_007
        }
        return "\(one) are one name, \(two) are two, sum \(sum)"
      },
    ]
    + [
      ("a umlaut", "\u{e4}", "\u{c4}"), ("sharp s", "\u{df}", "SS"),
      ("dotless i", "\u{131}", "I"), ("dotted capital i", "\u{130}", "i"),
      ("sigma", "\u{3c3}", "\u{3a3}"), ("final sigma", "\u{3c2}", "\u{3a3}"),
      ("y with dots", "\u{ff}", "\u{178}"), ("micro sign", "\u{b5}", "\u{39c}"),
      ("long s", "\u{17f}", "S"), ("kelvin sign", "\u{212a}", "k"),
      ("dz with caron", "\u{1c6}", "\u{1c4}"), ("dz with caron, title", "\u{1c5}", "\u{1c4}"),
      ("cyrillic", "\u{436}", "\u{416}"), ("armenian", "\u{561}", "\u{531}"),
      ("georgian", "\u{10d0}", "\u{1c90}"), ("cherokee", "\u{ab70}", "\u{13a0}"),
      ("greek extended", "\u{1f00}", "\u{1f08}"), ("roman numeral", "\u{2170}", "\u{2160}"),
      ("circled letter", "\u{24d0}", "\u{24b6}"), ("glagolitic", "\u{2c30}", "\u{2c00}"),
      ("full width", "\u{ff41}", "\u{ff21}"), ("deseret", "\u{10428}", "\u{10400}"),
      ("coptic", "\u{2c81}", "\u{2c80}"), ("latin extended d", "\u{a723}", "\u{a722}"),
      ("turned a", "\u{250}", "\u{2c6f}"), ("insular g", "\u{1d79}", "\u{a77d}"),
      ("capital sharp s", "\u{df}", "\u{1e9e}"), ("iota below", "\u{1f80}", "\u{1f88}"),
    ].map { (what: String, small: BytePath, large: BytePath) in
      Probe("case: \(what)") { site in
        try site.make(small)
        return site.answer(large) { access($0, F_OK) } == "ok" ? "one name" : "two names"
      }
    }

  /// Each character with every single one that Unicode has for it as another case.
  private static let casePairs: [(String, String)] = (0x80...0xffff).flatMap { value in
    guard let scalar = Unicode.Scalar(UInt32(value)) else { return [(String, String)]() }
    let own = String(scalar)
    let properties = scalar.properties
    let others = Set([
      properties.uppercaseMapping, properties.titlecaseMapping, properties.lowercaseMapping,
    ])
    return others.filter {
      $0.utf8.elementsEqual(own.utf8) == false && $0.unicodeScalars.count == 1
    }
    .sorted().map { (own, $0) }
  }
}
