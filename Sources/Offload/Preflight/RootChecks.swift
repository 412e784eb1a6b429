import SystemIO

/// No destination may be the source, lie in it, hold it, or overlap another destination, whatever
/// they are called (offload contract 19, 28, 36; field case C29).
struct RootChecks {
  let source: OpenedRoot
  let destinations: [OpenedRoot]
  let manifest: SourceManifest

  /// Every reason to refuse.
  func problems() -> [String] {
    var problems: [String] = []
    let inSource = Set(manifest.directories.map(\.identity))
    for (index, destination) in destinations.enumerated() {
      let name = destination.path.escaped
      if isSame(destination, source) {
        problems.append("the destination is the source: \(name)")
      } else if inSource.contains(destination.metadata.identity)
        || holds(source, destination)
      {
        problems.append("the destination lies in the source: \(name)")
      } else if holds(destination, source) {
        problems.append("the source lies in the destination: \(name)")
      }
      for other in destinations[..<index] {
        if isSame(destination, other) {
          problems.append("a destination is given twice: \(name)")
        } else if holds(destination, other) || holds(other, destination) {
          problems.append("one destination lies in another: \(name), \(other.path.escaped)")
        }
      }
    }
    return problems
  }

  private func isSame(_ left: OpenedRoot, _ right: OpenedRoot) -> Bool {
    left.metadata.identity == right.metadata.identity || left.path == right.path
      || (left.place != nil && left.place == right.place)
  }

  /// True when the second lies below the first: by path, inside the file system, or because a
  /// folder above it is the first.
  private func holds(_ outer: OpenedRoot, _ inner: OpenedRoot) -> Bool {
    if inner.path.components.starts(with: outer.path.components) { return true }
    if let above = outer.place, let below = inner.place, above.contains(below) { return true }
    return ancestors(of: inner).contains(outer.metadata.identity)
  }

  private func ancestors(of root: OpenedRoot) -> [FileIdentity] {
    var path: BytePath = "/"
    var identities: [FileIdentity] = []
    for component in root.path.components.dropLast() {
      path = path.appending(component)
      guard let metadata = try? FileSystem.metadata(path, followingLinks: false) else { break }
      identities.append(metadata.identity)
    }
    return identities
  }
}
