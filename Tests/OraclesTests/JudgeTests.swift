import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Oracles

@Suite struct JudgeTests {
  private func verdict(_ edit: (inout CaseBuilder) -> Void) -> Judge.Judgement {
    var builder = CaseBuilder()
    edit(&builder)
    return Judge.judgement(builder.artefacts)
  }

  @Test("only a case without findings whose every rule struck passes")
  func pass() {
    let judgement = verdict { $0.rule(.full(volume: "dst2")) }
    #expect(judgement.verdict == .pass)
    #expect(judgement.findings.isEmpty)
  }

  @Test("design 3: a fault that never fired makes the case not exercised, by its line")
  func notExercised() {
    let judgement = verdict { $0.rule(.full(volume: "dst"), fired: 0) }
    #expect(judgement.verdict == .notExercised)
    #expect(judgement.findings.map(\.summary) == ["line 1 never struck: rule 0"])
  }

  @Test("scripts decision 5: maybe need not fire")
  func maybe() {
    let judgement = verdict { $0.rule(.full(volume: "dst"), fired: 0) { $0.maybe = true } }
    #expect(judgement.verdict == .pass)
  }

  @Test("an expectation about a fault that never fired says nothing")
  func idleExpectation() {
    let judgement = verdict {
      $0.rule(.full(volume: "dst"), fired: 0)
      $0.run.expectations = [.failedAll(on: nil)]
    }
    #expect(judgement.verdict == .notExercised)
  }

  @Test("a violation fails the case though a fault never fired")
  func idleViolation() {
    let judgement = verdict {
      $0.rule(.full(volume: "dst"), fired: 0)
      $0.run.leaks = ["a descriptor"]
    }
    #expect(judgement.verdict == .fail)
    #expect(judgement.findings.map(\.oracle) == ["clean"])
  }

  @Test("a mistake of the script makes the case broken, whatever else was found")
  func broken() {
    let judgement = verdict {
      $0.run.leaks = ["a descriptor"]
      $0.run.expectations = [.failed([.suffix("nobody.mov")], on: nil)]
    }
    #expect(judgement.verdict == .broken)
    #expect(judgement.findings.allSatisfy { $0.oracle == "script" })
  }

  @Test("an engine that finds the undetectable passes, with a note")
  func note() {
    let judgement = verdict {
      $0.rule(.drop([.fsync], .path(CaseBuilder.first)))
      $0.run.fail()
      $0.run.expectations = [.undetectable("a drive that lies")]
    }
    #expect(judgement.verdict == .pass)
    #expect(judgement.notes.count == 1)
  }

  @Test("oracles have names of their own and a summary each")
  func catalogue() {
    let names = OracleCatalogue.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.count == 10)
    #expect(OracleCatalogue.all.allSatisfy { !$0.summary.isEmpty })
  }
}
