import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Suites

@Suite struct LibraryTests {
  static let root = BytePath(
    String(#filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }))
  static let library = SuiteLibrary(roots: [root])

  @Test("suites: the generic script of every persona loads and has a case for each kind of harm")
  func generic() throws {
    for persona in Persona.all {
      let cases = try FaultSuite([BytePath(persona.name)], library: Self.library)
        .cases(CaseChoice())
      #expect(cases.count >= 40, "\(persona.name)")
    }
  }

  @Test("suites: an unknown name is an error that lists the scripts")
  func unknown() {
    let error = #expect(throws: SuiteError.self) {
      try FaultSuite(["no-such"], library: Self.library).cases(CaseChoice())
    }
    #expect(error?.description.contains("named 'no-such'") == true)
  }

  @Test("suites: an unreadable card is an error before anything runs")
  func badCard() {
    #expect(throws: SuiteError.self) {
      try FaultSuite(["ext4"], library: Self.library).cases(CaseChoice(card: "no-such"))
    }
  }

  @Test("suites: every script of the project loads, with its case ids each once")
  func scripts() throws {
    let cases = try GateSuite(library: Self.library).cases(CaseChoice())
    let ids = cases.map { "\($0.subject) \($0.identity.id)" }
    #expect(Set(ids).count == ids.count)
  }

  @Test("docs/limits.md names every case that no engine can detect")
  func limits() throws {
    let path = Self.root.appending("docs/limits.md")
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    for name in Self.library.names {
      for scriptCase in try Self.library.script(named: name).cases {
        let isUndetectable = scriptCase.statements.contains { statement in
          if case .expect(.undetectable) = statement { true } else { false }
        }
        if isUndetectable { #expect(text.contains("| `\(name)`: \(scriptCase.title) |")) }
      }
    }
  }

  @Test("facts: the subject is told what the persona's row says, and nothing for facts real")
  func facts() throws {
    let persona = try #require(Persona.named("exfat-linux"))
    func row(_ facts: String?, inside: String? = nil) -> VolumeFacts.Row {
      VolumeFacts.Row(
        spec: VolumeSpec(name: "dst", persona: "exfat-linux", inside: inside, facts: facts),
        persona: persona, mountPoint: "/mnt/d")
    }
    let own = try #require(VolumeFacts.json([row(nil)])?["volumes"]?[0])
    #expect(own["root"]?.text == "/mnt/d")
    #expect(own["type"]?.text == persona.facts.type)
    #expect(own["level"]?.text == persona.facts.bestLevel)
    #expect(own["inodesLast"]?.bool == false)
    #expect(own["removable"]?.bool == true)
    #expect(VolumeFacts.json([row("real")]) == nil)
    #expect(VolumeFacts.effectivePersona(row("real")).facts.bestLevel == "cached")
    let inside = try #require(VolumeFacts.json([row(nil, inside: "src")])?["volumes"]?[0])
    #expect(inside["removable"]?.bool == false)
    #expect(inside["type"]?.text == Persona.facts(named: "fixed-disk")?.type)
  }
}
