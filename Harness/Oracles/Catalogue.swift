public import HarnessKit

/// Every oracle, in the order in which reports list them: add one here.
public enum OracleCatalogue {
  public static let all: [any Oracle] = [
    TruthOracle(),
    NoImpostorOracle(),
    NothingHarmedOracle(),
    SourceUntouchedOracle(),
    NoSilenceOracle(),
    NoFalseAlarmOracle(),
    ExpectationOracle(),
    BoundedOracle(),
    CleanOracle(),
    RecoveryOracle(),
  ]
}
