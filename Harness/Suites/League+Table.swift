public import Wire

extension League {
  /// Outcomes that have a column: those of the documentation, and others that occurred.
  private var columns: [Outcome] {
    Outcome.allCases.filter { outcome in
      switch outcome {
      case .right, .other, .blocked, .broken, .falseAlarm, .harmed:
        contestants.contains { count(outcome, of: $0) > 0 }
      default: true
      }
    }
  }

  /// How often each contestant came to each outcome: header first.
  public var totals: [[String]] {
    [["subject"] + columns.map(\.rawValue)]
      + contestants.map { contestant in
        [contestant.name] + columns.map { String(count($0, of: contestant)) }
      }
  }

  /// A row a case, a column a contestant: header first.
  public func matrix(isMarkdown: Bool = false) -> [[String]] {
    [["case"] + contestants.map(\.name)]
      + cases.map { one in
        [isMarkdown ? one.title : one.id]
          + contestants.map { contestant in
            guard let cell = cell(one.id, contestant) else { return "-" }
            let isBold = isMarkdown && cell.outcome.isLoss
            return isBold ? "**\(cell.outcome.rawValue)**" : cell.outcome.rawValue
          }
      }
  }

  /// One object with every cell and its reason.
  public var json: JSON {
    [
      "leagueVersion": 1,
      "exit": JSON(exitCode),
      "contestants": .array(
        contestants.map { contestant in
          [
            "name": .text(contestant.name), "identity": .text(contestant.identity),
            "verifies": .bool(contestant.verifies),
            "totals": .object(
              Outcome.allCases.map {
                JSON.Member($0.rawValue, JSON(count($0, of: contestant)))
              }),
          ]
        }),
      "cases": .array(
        cases.map { one in
          [
            "id": .text(one.id), "title": .text(one.title),
            "outcomes": .object(
              contestants.map { contestant in
                JSON.Member(contestant.name, Self.json(cell(one.id, contestant)))
              }),
          ]
        }),
    ]
  }

  private static func json(_ cell: Cell?) -> JSON {
    guard let cell else { return .null }
    return ["outcome": .text(cell.outcome.rawValue), "reason": .text(cell.reason)]
  }
}
