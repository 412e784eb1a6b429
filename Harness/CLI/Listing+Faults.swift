import FaultModel

extension Listing {
  /// The effect words of the scripts, with their form and what they do.
  static let faults = Listing(
    header: ["fault", "plane", "form", "what happens"],
    rows: FaultCatalogue.all.map { [$0.name, $0.plane, $0.form, $0.summary] })
}
