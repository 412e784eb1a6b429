public import HarnessKit

/// The subject ends within its deadline, children included.
public struct BoundedOracle: Oracle {
  public let name = "bounded"
  public let summary = "the subject ends within its deadline, children included"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    artefacts.runs.enumerated().filter { $0.element.ending == .deadline }.map { index, run in
      Finding(
        oracle: name,
        summary: "run \(index + 1) was still alive at its deadline and was killed after "
          + "\(Int(run.seconds.rounded())) s")
    }
  }
}
