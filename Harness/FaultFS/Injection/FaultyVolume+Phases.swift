import FaultModel
import SystemIO

/// Phases, inferred from requests alone (scripts.md decision 1).
extension FaultyVolume {
  /// The phases that files will have gone through once the request succeeds.
  func moments(_ address: Address) -> [Moment] {
    if isSource { return scanMoments(address) }
    switch address.operation {
    case .write, .copyrange: return address.node.map { writeMoments($0, address) } ?? []
    case .fsync: return address.node.map(syncMoments) ?? []
    case .read: return address.node.map(readMoments) ?? []
    case .create, .mknod: return address.node == nil ? nameMoments(address.name, nil) : []
    case .link: return nameMoments(address.name, address.node)
    case .rename: return nameMoments(address.newName, address.node)
    case .unlink: return markerMoments(address)
    case .fsyncdir: return address.node.map(folderMoments) ?? []
    default: return []
    }
  }

  private func scanMoments(_ address: Address) -> [Moment] {
    guard let node = address.node,
      address.operation == .lookup || address.operation == .readdir,
      !track(node).phases.contains(.scan)
    else { return [] }
    return [Moment(phase: .scan, node: node)]
  }

  private func writeMoments(_ node: NodeID, _ address: Address) -> [Moment] {
    let track = located(node)
    var moments: [Moment] = []
    if !track.phases.contains(.firstData) { moments.append(Moment(phase: .firstData, node: node)) }
    if !track.phases.contains(.complete), let named = finalSources(track).first,
      track.writtenByteCount + (address.range?.count ?? 0) >= size(named)
    {
      moments.append(Moment(phase: .complete, node: node))
    }
    return moments
  }

  private func size(_ source: Int) -> UInt64 { injector.sources.files[source].content.byteCount }

  private func syncMoments(_ node: NodeID) -> [Moment] {
    let track = located(node)
    guard !track.phases.contains(.synced), hasAllBytes(node, track) else { return [] }
    var moments = [Moment(phase: .synced, node: node)]
    if !finalSources(track).isEmpty { moments.append(Moment(phase: .published, node: node)) }
    return moments
  }

  /// As many bytes as the source has; for a file that is no source's, any, or none at all.
  private func hasAllBytes(_ node: NodeID, _ track: Track) -> Bool {
    let held = store.attributes(of: node)?.byteCount ?? 0
    guard let source = source(of: track) else { return track.writtenByteCount > 0 || held == 0 }
    return track.writtenByteCount >= size(source) || held >= size(source)
  }

  private func readMoments(_ node: NodeID) -> [Moment] {
    let track = track(node)
    guard !track.phases.contains(.readback), track.writtenByteCount > 0,
      track.phases.contains(.synced) || hasAllBytes(node, located(node))
    else { return [] }
    return [Moment(phase: .readback, node: node)]
  }

  private func nameMoments(_ name: Address.Name?, _ node: NodeID?) -> [Moment] {
    guard let name, let source = finalNames[store.names.key(ofPath: path(name))] else { return [] }
    let track = node.map(track)
    var moments = [Moment(phase: .named, node: node, source: source)]
    if track?.phases.contains(.synced) == true {
      moments.append(Moment(phase: .published, node: node, source: source))
    }
    if track?.writtenByteCount ?? 0 >= size(source) {
      moments.append(Moment(phase: .complete, node: node, source: source))
    }
    return moments
  }

  private func folderMoments(_ folder: NodeID) -> [Moment] {
    (unsettledNames[folder] ?? []).sorted().map { Moment(phase: .dirSynced, node: $0) }
  }

  /// The marker says in its own bytes which file it stands for.
  private func markerMoments(_ address: Address) -> [Moment] {
    guard let name = address.name, case .marker = label(name), let node = address.node,
      let file = markedName(store.bytes(of: node, at: 0, count: 4096))
    else { return [] }
    let path = (located(name.folder).paths.first ?? "").appending(file)
    guard let source = finalNames[store.names.key(ofPath: path)] else { return [] }
    return [Moment(phase: .markerGone, node: store.node(at: path), source: source)]
  }

  /// The value of `nameHex` in a marker's JSON (docs/offload.md).
  private func markedName(_ json: [UInt8]) -> BytePath? {
    let key = Array("\"nameHex\"".utf8)
    guard json.count > key.count,
      let start = json.indices.first(where: { json[$0...].starts(with: key) })
    else { return nil }
    let rest = json[(start + key.count)...].drop { $0 != UInt8(ascii: "\"") }.dropFirst()
    let digits = rest.prefix { $0 != UInt8(ascii: "\"") }.compactMap(Self.hexDigit)
    guard digits.count >= 2, digits.count % 2 == 0 else { return nil }
    return BytePath(
      stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Notes that a phase was gone through.
  func passed(_ moment: Moment) {
    guard let node = moment.node else { return }
    track(node).phases.insert(moment.phase)
    switch moment.phase {
    case .named:
      for path in store.paths(of: node) {
        guard let folder = store.node(at: path.parent ?? "") else { continue }
        if finalNames[store.names.key(ofPath: path)] != nil {
          unsettledNames[folder, default: []].insert(node)
        }
      }
    case .dirSynced:
      for folder in unsettledNames.keys { unsettledNames[folder]?.remove(node) }
    default: break
    }
  }

  /// A run begins: files go through their phases anew, and a volume that a crash struck is there
  /// again.
  func beginRun() {
    for (_, track) in tracks.all {
      track.phases = []
      track.isWrittenNow = false
    }
    unsettledNames = [:]
    if isCut { comeBack() }
  }

  /// The source files whose bytes were written here in this run.
  var writtenSources: Set<BytePath> {
    if isSource { return [] }
    return Set(
      tracks.all.filter(\.track.isWrittenNow).compactMap { node, _ in
        source(of: located(node)).map { injector.sources.files[$0].path }
      })
  }
}
