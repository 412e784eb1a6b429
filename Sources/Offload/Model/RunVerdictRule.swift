import SystemIO

/// Turns the rows into the verdict of the run; nothing else decides it (offload contract 87 to 89).
struct RunVerdictRule {
  let verdict: RunVerdict
  let exitCode: Int32
  let problems: [String]

  init(
    counts: (verified: Int, unverified: Int, failed: Int), expectedRows: Int,
    folderProblems: [String], cancelCause: CancelCause?, mode: CopyMode
  ) {
    var problems = folderProblems
    let total = counts.verified + counts.unverified + counts.failed
    if total < expectedRows || expectedRows == 0 {
      problems.append("\(total) rows for \(expectedRows) copies")
    }
    if counts.failed > 0 { problems.append("\(counts.failed) of \(total) copies failed") }
    if let cancelCause {
      verdict = .interrupted
      exitCode = cancelCause.exitCode
      problems.append("the run was interrupted")
    } else if !problems.isEmpty {
      verdict = .failed
      exitCode = 1
    } else if counts.unverified > 0 || !mode.verifies {
      verdict = .copiedNotVerified
      exitCode = 5
      problems.append("\(counts.unverified) copies are not verified")
    } else {
      verdict = .verified
      exitCode = 0
    }
    self.problems = problems
  }
}

extension OffloadOutcome {
  func with(report: BytePath) -> OffloadOutcome {
    OffloadOutcome(
      verdict: verdict, exitCode: exitCode, rows: rows, warnings: warnings, problems: problems,
      leftBehind: leftBehind, report: report)
  }

  /// A missing report turns a verified run into no success, and no failure into something better.
  func without(reportBecause problem: String, leftBehind left: [BytePath]) -> OffloadOutcome {
    OffloadOutcome(
      verdict: verdict, exitCode: exitCode == 0 ? 6 : exitCode, rows: rows, warnings: warnings,
      problems: problems, leftBehind: leftBehind + left, reportProblem: problem)
  }
}
