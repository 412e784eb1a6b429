public import SystemIO

/// The one place that facts about volumes come from.
public struct VolumeFactsProvider: Sendable {
  private let given: [(root: [BytePath], facts: VolumeFacts)]

  /// - Parameter given: facts that the caller vouches for; a path belongs to the longest root that
  ///   contains it by whole components.
  public init(given: [(root: BytePath, facts: VolumeFacts)] = []) {
    self.given = given.map { ($0.root.components, $0.facts) }
  }

  /// True when the caller vouches for any volume.
  public var hasGivenFacts: Bool { !given.isEmpty }

  /// The facts of the volume that holds a path: the caller's, else what the kernel tells.
  ///
  /// - Parameters:
  ///   - path: absolute, without links.
  ///   - mountID: the mount by `Metadata.mountID`, which no other mount at the same place fools.
  public func facts(for path: BytePath, mountID: UInt64?) -> VolumeFacts {
    let components = path.components
    let matching = given.filter { components.starts(with: $0.root) }
    if let best = matching.max(by: { $0.root.count < $1.root.count }) { return best.facts }
    guard let mounts = try? MountTable.current(),
      let mount = mountID.flatMap({ mounts.entry(id: $0) }) ?? mounts.entry(containing: path)
    else { return KernelVolume.unknown(type: "unknown") }
    return KernelVolume.facts(mount)
  }
}
