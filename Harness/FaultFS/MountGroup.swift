import FaultModel

/// Volumes that share a mount: one alone, or one with those that the script puts `inside` it.
struct MountGroup: Equatable {
  let members: [String]
  let cache: CachePolicy
  let noMmap: Bool

  /// The folder's name: the volume's own, or a joint one when the volumes are folders of the
  /// mount.
  var name: String { members.joined(separator: "+") }

  /// The mounts of a case, in the script's order.
  static func groups(of specs: [VolumeSpec]) -> [MountGroup] {
    let real = specs.filter { $0.alias == nil }
    return real.filter { $0.inside == nil }.map { host in
      let guests = real.filter { $0.inside == host.name }
      return MountGroup(
        members: [host.name] + guests.map(\.name), cache: host.cache,
        noMmap: host.noMmap || guests.contains { $0.noMmap })
    }
  }
}
