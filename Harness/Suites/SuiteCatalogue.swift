/// Every suite, for `harness list suites`: add one here.
public enum SuiteCatalogue {
  public static let all: [any Suite] = [
    FaultSuite([], library: SuiteLibrary(roots: [])),
    GateSuite(library: SuiteLibrary(roots: [])),
  ]
}
