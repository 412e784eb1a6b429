public import SystemIO
import Wire

/// The one place that facts about volumes come from.
public struct VolumeFactsProvider: Sendable {
  private let given: [(root: [BytePath], facts: VolumeFacts)]

  /// - Parameter given: facts that the caller vouches for; a path belongs to the longest root that
  ///   contains it by whole components.
  public init(given: [(root: BytePath, facts: VolumeFacts)] = []) {
    self.given = given.map { ($0.root.components, $0.facts) }
  }

  /// Reads the caller's facts from JSON (docs/offload.md, "Volume facts").
  ///
  /// - Throws: `volumeFacts` with the volume's number and the field that is wrong or missing.
  public init(json bytes: [UInt8]) throws(OffloadError) {
    let json: JSON
    do throws(JSONError) {
      json = try JSON.parse(bytes)
    } catch {
      throw .volumeFacts("\(error)")
    }
    guard let volumes = json["volumes"]?.array else { throw .volumeFacts("no list \"volumes\"") }
    var given: [(root: BytePath, facts: VolumeFacts)] = []
    for (index, volume) in volumes.enumerated() {
      given.append(try Self.volume(volume, number: index + 1))
    }
    self.init(given: given)
  }

  /// Reads the caller's facts from a file.
  public init(file: BytePath) throws(OffloadError) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.contents(of: file, limit: 1 << 20)
    } catch {
      throw .volumeFacts("\(error)")
    }
    try self.init(json: bytes)
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

  private static func volume(
    _ json: JSON, number: Int
  ) throws(OffloadError) -> (root: BytePath, facts: VolumeFacts) {
    func wrong(_ field: String) -> OffloadError {
      .volumeFacts("volume \(number): \"\(field)\" is missing or wrong")
    }
    guard let raw = json["root"]?.bytes, let root = BytePath(raw), root.isAbsolute else {
      throw wrong("root")
    }
    guard let type = json["type"]?.text else { throw wrong("type") }
    guard let level = json["level"]?.text.flatMap({ VerificationLevel(rawValue: $0) }),
      level != .notRead
    else { throw wrong("level") }
    guard let inodesLast = json["inodesLast"]?.bool else { throw wrong("inodesLast") }
    guard let isReal = json["changeTimeIsReal"]?.bool else { throw wrong("changeTimeIsReal") }
    let grain = json["modificationGrainNanoseconds"]?.int64 ?? 1
    guard grain > 0 else { throw wrong("modificationGrainNanoseconds") }
    let facts = VolumeFacts(
      type: type, bestLevel: level, inodesLast: inodesLast, changeTimeIsReal: isReal,
      modificationGrainNanoseconds: grain, isRemovable: json["removable"]?.bool ?? false,
      isGivenByCaller: true)
    return (root, facts)
  }
}
