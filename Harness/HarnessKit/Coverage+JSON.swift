import FaultModel
public import Wire

extension Coverage {
  /// The matrix as `report.json` has it: a row an operation, a member a fault.
  public var json: JSON {
    [
      "bases": JSON(baseCount),
      "planned": JSON(total.planned),
      "run": JSON(total.run),
      "passed": JSON(total.passed),
      "undetectable": JSON(total.undetectable),
      "failed": JSON(total.failed),
      "notExercised": JSON(total.notExercised),
      "blockedOrBroken": JSON(total.other),
      "pruned": JSON(prunedCount),
      "cut": JSON(cutCount),
      "pairs": JSON(pairCount),
      "crashStates": JSON(crashStateCount),
      "perMinute": .number((perMinute * 10).rounded() / 10),
      "recorded": .object(
        recorded.sorted { $0.key.rawValue < $1.key.rawValue }
          .map { JSON.Member($0.key.rawValue, JSON($0.value)) }),
      "neverReached": .array(neverReached.map { .text($0.rawValue) }),
      "neverStruck": .array(neverStruck.map { .text($0.rawValue) }),
      "unaddressed": .array(unaddressed.map { .text($0) }),
      "matrix": .object(
        operations.map { operation in
          JSON.Member(operation.rawValue, .object(cellMembers(of: operation)))
        }),
    ]
  }

  private func cellMembers(of operation: Operation) -> [JSON.Member] {
    cells.filter { $0.key.operation == operation }.sorted { $0.key < $1.key }.map { place, cell in
      JSON.Member(
        place.fault,
        [
          "planned": JSON(cell.planned), "passed": JSON(cell.passed),
          "undetectable": JSON(cell.undetectable), "failed": JSON(cell.failed),
          "notExercised": JSON(cell.notExercised), "other": JSON(cell.other),
        ])
    }
  }
}
