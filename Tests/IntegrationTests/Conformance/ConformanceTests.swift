import SystemIO
import Testing

extension IntegrationTests {
  /// A persona is what its name says as far as a real driver can show it.
  @Suite("Personas against real drivers")
  struct ConformanceTests {
    private static let document: BytePath = "docs/conformance.md"

    /// One probe for one pair.
    struct Question: Sendable, CustomTestStringConvertible {
      let pair: Conformance
      let probe: Probe
      var testDescription: String { "\(pair.persona): \(probe.name)" }
    }

    static let questions = Conformance.pairs.flatMap { pair in
      Probe.all.map { Question(pair: pair, probe: $0) }
    }

    static let blockers = Conformance.pairs.compactMap(\.driver.blocker).joined(separator: "; ")

    private static func table(_ persona: String) throws -> DifferenceTable {
      let bytes = try FileSystem.contents(of: Checkout.root.appending(document))
      return try DifferenceTable(String(decoding: bytes, as: UTF8.self), persona: persona)
    }

    @Test(
      "the persona answers as the driver does, but for the documented differences",
      .enabled(if: blockers.isEmpty, "blocked: \(blockers)"), arguments: questions)
    func answers(_ question: Question) throws {
      let name = question.probe.name
      let (persona, driver) = try #require(Conformance.observed[question.pair.persona]).get()
      let answers = (
        persona: try #require(persona[name]).get(), driver: try #require(driver[name]).get()
      )
      let complaint = try Self.table(question.pair.persona).complaint(
        name, persona: answers.persona, driver: answers.driver)
      #expect(complaint == nil)
    }

    @Test("every documented difference is one of a probe", arguments: Conformance.pairs)
    func rows(_ pair: Conformance) throws {
      let names = Set(Probe.all.map(\.name))
      #expect(names.count == Probe.all.count, "two probes have one name")
      for row in try Self.table(pair.persona).rows {
        #expect(names.contains(row.probe), "docs/conformance.md: no probe '\(row.probe)'")
      }
    }

    @Test(
      "a difference without a row, a row without a difference and a row that says else are errors",
      arguments: [
        ("case: b", "one", "two", true), ("case: b", "one", "one", false),
        ("links: fifo", "EIO", "EIO", true), ("links: fifo", "EIO", "EPERM", false),
        ("names: CON", "ok", "EINVAL", true), ("names: CON", "ok", "ok", false),
        ("names: CON", "ok", "ENOENT", false), ("names: CON", "EIO", "EINVAL", false),
      ])
    func judged(probe: String, persona: String, driver: String, isRight: Bool) throws {
      let text = """
        ## other against x
        | probe | persona | driver | why |
        |---|---|---|---|
        | links: fifo | EIO | EPERM | of another section |
        ## p against q

        | probe | persona | driver | why |
        |---|---|---|---|
        | names: CON | ok | EINVAL | because |
        ## a, p against their drivers
        | probe | persona | driver | why |
        |---|---|---|---|
        | case: b | one | two | of several personas |
        """
      let table = try DifferenceTable(text, persona: "p")
      #expect((table.complaint(probe, persona: persona, driver: driver) == nil) == isRight)
    }
  }
}
