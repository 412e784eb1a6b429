import HarnessKit
import Testing

@testable import Suites

@Suite struct AllowedCasesTests {
  static let text = """
    # known
    exfat/a@standard blocked "no such device" needs "a loop device"  # trailing
    exfat/b@* fail "the engine has no journal yet" needs "issue 4"
    """

  private func result(_ id: String, _ verdict: Verdict) -> CaseResult {
    let parts = id.split(whereSeparator: { $0 == "/" || $0 == "@" }).map(String.init)
    return CaseResult(
      identity: CaseIdentity(
        script: parts[0], title: parts[1], line: 1, mode: parts[2], slug: parts[1]),
      verdict: verdict)
  }

  @Test(
    "allowed: only the named verdict of the named id is excused",
    arguments: [
      ("exfat/a@standard", Verdict.blocked, true), ("exfat/a@standard", .fail, false),
      ("exfat/a@standard", .broken, false), ("exfat/a@paranoid", .blocked, false),
      ("exfat/b@standard", .fail, true), ("exfat/b@paranoid", .fail, true),
      ("exfat/bc@paranoid", .fail, false), ("exfat/a@standard", .pass, false),
    ])
  func excuse(id: String, verdict: Verdict, isExcused: Bool) throws {
    var result = result(id, verdict)
    try AllowedCases(text: Array(Self.text.utf8)).excuse(&result)
    #expect((result.allowed != nil) == isExcused)
  }

  @Test("allowed: a line whose case passes fails the gate, and so does an unknown id")
  func stale() throws {
    let allowed = try AllowedCases(text: Array(Self.text.utf8))
    #expect(
      allowed.problems(after: [("exfat/a@standard", .pass), ("exfat/b@standard", .fail)]) == [
        "allowed line 2: exfat/a@standard passes, take the line out"
      ])
    #expect(
      allowed.problems(after: [
        ("exfat/a@standard", .blocked), ("exfat/c@standard", .fail),
      ]) == ["allowed line 3: no case has the id exfat/b@*"])
    #expect(
      allowed.problems(after: [
        ("exfat/a@standard", .blocked), ("exfat/b@standard", .pass), ("exfat/b@paranoid", .fail),
      ]) == [])
  }

  @Test(
    "allowed: a line that is not whole is an error with its number",
    arguments: [
      "exfat/a@standard blocked \"x\"", "exfat/a@standard pass \"x\" needs \"y\"",
      "exfat/a blocked \"x\" needs \"y\"", "exfat/a@standard blocked \"x needs y",
      "exfat/a@standard blocked \"\" needs \"y\"", "exfat/a@standard red \"x\" needs \"y\"",
    ])
  func strict(line: String) {
    #expect(throws: AllowedError.self) { try AllowedCases(text: Array(("\n" + line).utf8)) }
  }

  @Test("allowed: one id stands once")
  func twice() {
    let line = "a/b@standard fail \"x\" needs \"y\"\n"
    #expect(throws: AllowedError(line: 2, message: "'a/b@standard' stands here twice")) {
      try AllowedCases(text: Array((line + line).utf8))
    }
  }
}
