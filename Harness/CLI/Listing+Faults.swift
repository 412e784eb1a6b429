import FaultModel

extension Listing {
  /// The effect words of the scripts, with their form and what they do.
  static let faults = Listing(
    header: ["fault", "plane", "form", "what happens"],
    rows: FaultCatalogue.all.map { entry in
      let later = entry.isAvailable ? "" : " (not available yet)"
      return [entry.name, entry.plane, entry.form, entry.summary + later]
    })
}
