public import Wire

extension Event {
  /// The event as `events.jsonl` has it (docs/report-schema.md).
  public var json: JSON {
    var members = [
      JSON.Member("event", .text(name)), JSON.Member("n", JSON(ordinal)),
      JSON.Member("seconds", Self.rounded(seconds)),
    ]
    members += payload
    return .object(members)
  }

  private var name: String {
    switch kind {
    case .runStarted: "runStarted"
    case .caseStarted: "caseStarted"
    case .caseFinished: "caseFinished"
    case .note: "note"
    case .schedulesPlanned: "schedulesPlanned"
    case .schedulesPassed: "schedulesPassed"
    case .explored: "explored"
    case .runFinished: "runFinished"
    }
  }

  private var payload: [JSON.Member] {
    switch kind {
    case .runStarted(let start): [JSON.Member("version", JSON(Self.version))] + start.members
    case .caseStarted(let identity): identity.members
    case .caseFinished(let result): result.members
    case .note(let text): [JSON.Member("text", .text(text))]
    case .schedulesPlanned(let count): [JSON.Member("count", JSON(count))]
    case .schedulesPassed(let count, let undetectable):
      [JSON.Member("count", JSON(count)), JSON.Member("undetectable", JSON(undetectable))]
    case .explored(let coverage): [JSON.Member("coverage", coverage.json)]
    case .runFinished(let summary): summary.members
    }
  }

  /// Seconds to a tenth of a millisecond.
  static func rounded(_ seconds: Double) -> JSON {
    .number((seconds * 10_000).rounded() / 10_000)
  }
}

extension RunStart {
  /// The members of the run's header, in the order that the schema lists.
  public var members: [JSON.Member] {
    [
      JSON.Member("verb", .text(verb)),
      JSON.Member("build", .text(build)),
      JSON.Member("kernel", .text(kernel)),
      JSON.Member("commandLine", .array(commandLine.map { .text($0) })),
      JSON.Member("seed", JSON(seed)),
      JSON.Member("subjects", .array(subjects.map { .text($0) })),
      JSON.Member("planned", JSON(planned)),
      JSON.Member("startedAt", .text(startedAt)),
    ]
  }
}

extension CaseIdentity {
  /// The members that name a case.
  public var members: [JSON.Member] {
    [
      JSON.Member("id", .text(id)),
      JSON.Member("script", .text(script)),
      JSON.Member("title", .text(title)),
      JSON.Member("line", JSON(line)),
      JSON.Member("mode", .text(mode)),
    ]
  }
}

extension CaseResult {
  /// The members of a finished case, in the order that the schema lists.
  public var members: [JSON.Member] {
    identity.members + [
      JSON.Member("verdict", .text(verdict.rawValue)),
      JSON.Member("reason", .text(reason)),
      JSON.Member("findings", .array(findings.map(\.json))),
      JSON.Member("rules", .array(rules.map(\.json))),
      JSON.Member("caseSeconds", Event.rounded(seconds)),
      JSON.Member("seed", JSON(seed)),
      JSON.Member("subject", .text(subject)),
      JSON.Member("schedule", .array(schedule.map { .text($0) })),
      JSON.Member("notes", .array(notes.map { .text($0) })),
      JSON.Member("endings", .array(endings.map { .text($0) })),
      JSON.Member("allowed", .text(orNull: allowed)),
      JSON.Member("repeats", repeats.map { .text("\($0.agreeing)/\($0.of)") } ?? .null),
      JSON.Member("crashStates", crashStates?.json ?? .null),
      JSON.Member("folder", .text(orNull: folder)),
    ]
  }
}

extension CaseResult.CrashStates {
  var json: JSON {
    [
      "points": JSON(points), "generated": JSON(generated), "unique": JSON(unique),
      "judged": JSON(judged),
    ]
  }
}

extension CaseResult.RuleCount {
  var json: JSON {
    [
      "line": JSON(line), "text": .text(text), "fired": JSON(fired), "maybe": .bool(isOptional),
    ]
  }
}

extension Finding {
  var json: JSON {
    [
      "oracle": .text(oracle), "summary": .text(summary),
      "files": .array(files.map { .text($0) }),
    ]
  }
}

extension Run.Summary {
  /// The members of the run's end, in the order that the schema lists.
  public var members: [JSON.Member] {
    [
      JSON.Member("exit", JSON(exitCode)),
      JSON.Member("judged", JSON(judged)),
      JSON.Member(
        "verdicts",
        .object(Verdict.allCases.map { JSON.Member($0.rawValue, JSON(self[$0])) })),
      JSON.Member("allowed", JSON(allowed)),
      JSON.Member("notRun", JSON(notRun)),
      JSON.Member("signal", signal.map { JSON($0) } ?? .null),
      JSON.Member("problems", .array(problems.map { .text($0) })),
      JSON.Member("runSeconds", Event.rounded(seconds)),
    ]
  }
}
