import SystemIO

/// Free space must be strictly more than what will be written and the headroom together, counted
/// for each volume (offload decision 4).
struct SpaceCheck {
  let headroomByteCount: Int64

  /// Every reason to refuse.
  func problems(_ destinations: [(destination: Destination, survey: Survey)]) -> [String] {
    var problems: [String] = []
    let byVolume = Dictionary(grouping: destinations) {
      $0.destination.root.metadata.identity.device
    }
    for volume in byVolume.values.sorted(by: { $0[0].destination.index < $1[0].destination.index })
    {
      if let problem = check(volume) { problems.append(problem) }
    }
    return problems
  }

  private func check(_ volume: [(destination: Destination, survey: Survey)]) -> String? {
    let names = volume.map { $0.destination.path.escaped }.joined(separator: ", ")
    guard volume.contains(where: { $0.survey.plannedFileCount > 0 }) else { return nil }
    var needed = headroomByteCount
    for item in volume {
      let (sum, overflow) = needed.addingReportingOverflow(item.survey.plannedByteCount)
      if overflow || sum < 0 { return "\(names): the space needed is beyond all numbers" }
      needed = sum
    }
    do throws(SystemError) {
      let free = try volume[0].destination.root.handle.directory.statistics().availableBytes
      if free > UInt64(max(0, needed)) { return nil }
      return "\(names): not enough free space: \(free) bytes are free, more than \(needed) are "
        + "needed (headroom \(headroomByteCount) included)"
    } catch {
      return "\(names): the free space is unknown: \(error)"
    }
  }
}
