import SystemIO

/// Everything that is known before the first byte is written.
struct PreparedRun: Sendable {
  let source: SourceSide
  let destinations: [Destination]
  let surveys: [Survey]
  var manifest: SourceManifest { source.manifest }
}

/// Decides whether a run may begin. It writes nothing but a probe folder that it removes again
/// (offload contract 35 to 44).
struct Preflight {
  let job: CopyJob
  let ids: IDSource
  /// Directories that each tree keeps open.
  let openDirectories: Int
  let isCancelled: @Sendable () -> Bool
  /// Called as soon as the manifest stands.
  let manifestStands: (SourceManifest) -> Void

  /// - Throws: every reason to refuse that could be found.
  func run() throws(Refusal) -> PreparedRun {
    let sourceRoot = try OpenedRoot.source(job.source, job.facts)
    let roots = try destinationRoots()
    let manifest: SourceManifest
    do throws(ScanError) {
      manifest = try CardSource.scan(sourceRoot.handle, isCancelled: isCancelled)
    } catch {
      throw Refusal(error.message)
    }
    if manifest.files.isEmpty { throw Refusal("the source holds no file") }
    if let own = firstOwnName(manifest) {
      throw Refusal(
        "the source holds what an unfinished run of custody left (\(own.escaped)): it is no whole "
          + "card; finish that run or remove its files, then copy")
    }
    manifestStands(manifest)
    let source = SourceSide(
      root: sourceRoot, manifest: manifest, openDirectories: openDirectories)
    let destinations = roots.enumerated().map {
      Destination(
        index: $0.offset, root: $0.element, manifest: manifest,
        openDirectories: openDirectories)
    }
    let overlaps = RootChecks(source: sourceRoot, destinations: roots, manifest: manifest)
      .problems()
    if !overlaps.isEmpty { throw Refusal(overlaps) }
    let surveys = destinations.map { Survey($0) }
    var problems = SpaceCheck(headroomByteCount: job.headroomByteCount)
      .problems(Array(zip(destinations, surveys)).map { (destination: $0, survey: $1) })
    problems += nameProblems(destinations, manifest)
    if !problems.isEmpty { throw Refusal(problems) }
    return PreparedRun(source: source, destinations: destinations, surveys: surveys)
  }

  private func destinationRoots() throws(Refusal) -> [OpenedRoot] {
    var roots: [OpenedRoot] = []
    var problems: [String] = []
    for path in job.destinations {
      do throws(Refusal) {
        roots.append(try OpenedRoot.destination(path, job.facts))
      } catch {
        problems += error.reasons
      }
    }
    if !problems.isEmpty { throw Refusal(problems) }
    return roots
  }

  /// A temporary file, probe folder or marker of ours on the source. Copied as data it would pass
  /// for litter on the destination, and the next run would remove what it names.
  private func firstOwnName(_ manifest: SourceManifest) -> BytePath? {
    func isOwn(_ name: BytePath) -> Bool { OwnName.isTemporary(name) || OwnName.isMarker(name) }
    if let file = manifest.files.indices.first(where: { isOwn(manifest.name(ofFile: $0)) }) {
      return manifest.path(ofFile: file)
    }
    return manifest.directories.indices.dropFirst()
      .first { isOwn(manifest.name(ofDirectory: $0)) }
      .map { manifest.path(ofDirectory: $0) }
  }

  private func nameProblems(
    _ destinations: [Destination], _ manifest: SourceManifest
  ) -> [String] {
    let twins = TwinSearch.twins(in: manifest)
    if twins.isEmpty { return [] }
    return destinations.compactMap { destination in
      let place = destination.path.escaped
      switch TwinProbe(root: destination.root.handle, ids: ids).ask(twins) {
      case .keepsApart: return nil
      case .collide(let pair):
        return "\(place) takes two names of the source for one: "
          + Self.names(pair, manifest)
      case .unknown(let error):
        return "\(place) cannot be asked whether it keeps names apart (\(error)): "
          + Self.names(twins[0], manifest)
      case .leftBehind(let folder, let error):
        return "a probe folder of ours could not be removed: \(folder.escaped): \(error)"
      }
    }
  }

  private static func names(_ pair: NameTwins, _ manifest: SourceManifest) -> String {
    let folder = manifest.path(ofDirectory: pair.directory)
    return [pair.first, pair.second].map { folder.appending($0).escaped }
      .joined(separator: " and ")
  }
}
