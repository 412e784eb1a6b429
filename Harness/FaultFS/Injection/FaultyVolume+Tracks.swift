import FaultModel
import Glibc
import SystemIO

/// What is learnt from requests: labels, identities, passes, and how far each file came.
extension FaultyVolume {
  func track(_ node: NodeID) -> Track {
    if let known = tracks[node] { return known }
    let track = Track()
    tracks[node] = track
    return track
  }

  /// The track with its paths as they are now. A file without a name keeps its last ones.
  func located(_ node: NodeID) -> Track {
    let track = track(node)
    if track.stamp != nameStamp {
      let paths = store.paths(of: node)
      if !paths.isEmpty || track.paths.isEmpty {
        track.paths = paths
        track.keys = paths.map { store.names.key(ofPath: $0) }
        track.finals = finalNames.isEmpty ? [] : track.keys.compactMap { finalNames[$0] }
      }
      track.stamp = nameStamp
    }
    return track
  }

  func path(_ name: Address.Name) -> BytePath {
    (located(name.folder).paths.first ?? "").appending(name.name)
  }

  /// The source files whose final names the inode has.
  func finalSources(_ track: Track) -> [Int] { track.finals }

  func label(_ name: Address.Name) -> Track.Label? {
    labels[LabelKey(folder: name.folder, key: store.names.key(name.name))]
  }

  /// What the file is for the phases: the source file it receives, else the one it is named for.
  func source(of track: Track) -> Int? { track.identity ?? finalSources(track).first }

  // MARK: Before a request

  func notice(_ address: Address, _ call: Request.Call) {
    switch call {
    case .create, .mknod:
      if address.node == nil, let name = address.name { give(label: name) }
    case .link, .rename, .symlink:
      if let name = address.newName ?? address.name { givePassing(label: name) }
    case .write(let node, _, let offset, let data), .receive(let node, _, let offset, let data):
      recognise(node, data, offset)
    case .copyFileRange(let from, _, _, let to, _, _, _): inherit(to, from: from)
    case .read(let node, let handle, let offset, _): countPass(node, handle, offset)
    // Once it has no name it is known by its last ones.
    case .unlink, .rmdir: if let node = address.node { _ = located(node) }
    case .readdir(let node, let handle, let offset, _):
      if offset == 0 {
        track(node).passes += 1
        handles[handle]?.listedCount = 0
      }
    default: break
    }
  }

  private static let temporaryPrefix = Array(".custody.tmp.".utf8)
  private static let markerPrefix = Array(".custody-status-".utf8)

  /// A name that the subject makes and that no source file has: `<tmp#N>`; a status marker:
  /// `<marker#N>`. Reports and histories keep their own names.
  private func give(label name: Address.Name) {
    guard !isSource else { return }
    let key = LabelKey(folder: name.folder, key: store.names.key(name.name))
    guard labels[key] == nil else { return }
    if name.name.bytes.starts(with: Self.markerPrefix) {
      markerCount += 1
      labels[key] = .marker(markerCount)
      return
    }
    let path = path(name)
    if finalNames[store.names.key(ofPath: path)] != nil { return }
    let isOurs = name.name.bytes.starts(with: Self.temporaryPrefix)
    if !isOurs, path.bytes.contains(UInt8(ascii: "/")),
      path.components.dropLast().contains(where: { $0 == "Reports" || $0 == "ascmhl" })
    {
      return
    }
    temporaryCount += 1
    labels[key] = .temporary(temporaryCount)
  }

  /// So that a trace is the same in every run although the subject makes the name up.
  private func givePassing(label name: Address.Name) {
    guard !isSource, name.name.bytes.first == UInt8(ascii: ".") else { return }
    let key = LabelKey(folder: name.folder, key: store.names.key(name.name))
    guard labels[key] == nil, finalNames[store.names.key(ofPath: path(name))] == nil,
      store.child(of: name.folder, named: name.name) == nil
    else { return }
    passingCount += 1
    labels[key] = .passing(passingCount)
  }

  /// An inode is compared until a source is found, or often enough.
  private static let comparisonLimit = 64

  private func recognise(_ node: NodeID, _ data: UnsafeRawBufferPointer, _ offset: UInt64) {
    guard !isSource else { return }
    let track = track(node)
    guard track.identity == nil || track.isAmbiguous,
      track.failedComparisons < Self.comparisonLimit
    else { return }
    let named = finalSources(located(node)).first
    let found = injector.sources.find(data, at: offset, named: named)
    guard let first = found.first else {
      track.failedComparisons += 1
      return
    }
    if track.identity != nil, found.count > 1 { return }
    track.isAmbiguous = found.count > 1
    track.identity = found.first { !isTaken($0, by: node) } ?? first
    nameStamp += 1
  }

  /// Another inode receives this source file already.
  private func isTaken(_ source: Int, by node: NodeID) -> Bool {
    injector.sources.files.count < 256
      && tracks.all.contains { $0.node != node && $0.track.identity == source }
  }

  private func inherit(_ node: NodeID, from other: NodeID) {
    guard !isSource else { return }
    let track = track(node)
    guard track.identity == nil else { return }
    track.identity = tracks[other].flatMap(source(of:))
    if track.identity != nil { nameStamp += 1 }
  }

  /// A pass begins when a fresh handle reads what the last pass has read already, or when a handle
  /// that was at the end starts again.
  private func countPass(_ node: NodeID, _ handle: HandleID, _ offset: UInt64) {
    guard var opened = handles[handle] else { return }
    let track = track(node)
    let isFresh = opened.pass == 0 && (track.passes == 0 || offset < track.passEnd)
    if isFresh || (opened.hasReachedEnd && offset == 0) {
      track.passes += 1
      track.passEnd = 0
      opened.pass = track.passes
      opened.hasReachedEnd = false
    } else if opened.pass == 0 {
      opened.pass = track.passes
    }
    handles[handle] = opened
  }

  // MARK: After a request

  func learn(
    _ address: Address, _ call: Request.Call, _ reply: Reply, _ decision: inout Decision
  ) {
    switch (call, reply) {
    case (_, .error): return
    case (.create(_, _, _, let flags), .created(let attributes, let handle)):
      if let name = address.name, address.node == nil { named(attributes.node, name) }
      adopt(attributes.node, in: &decision)
      remember(attributes.node, handle, flags)
    case (.open(let node, let flags), .opened(let handle)):
      if flags & O_TRUNC != 0 { cut(track(node), to: 0) }
      remember(node, handle, flags)
    case (.opendir(let node), .opened(let handle)): remember(node, handle, 0)
    case (.mknod, .entry(let attributes)), (.symlink, .entry(let attributes)),
      (.mkdir, .entry(let attributes)):
      if let name = address.name { named(attributes.node, name) }
      adopt(attributes.node, in: &decision)
    case (.rename, _), (.link, _):
      nameStamp += 1
      if let node = address.node { followName(node) }
    case (.unlink, _), (.rmdir, _):
      if let node = address.node { _ = located(node) }
      nameStamp += 1
    case (.setattr(let node, _, let change), _):
      if let byteCount = change.byteCount { cut(track(node), to: byteCount) }
    case (.write(let node, _, let offset, _), .written(let count)),
      (.receive(let node, _, let offset, _), .written(let count)):
      wrote(node, offset, count)
    case (.copyFileRange(let from, _, _, let to, _, let offset, _), .written(let count)):
      wrote(to, offset, count)
      track(from).readByteCount += UInt64(count)
    case (.read(let node, let handle, let offset, let asked), .data(let data)):
      didRead(node, handle, offset, asked, data.count)
    case (.readdir(_, let handle, _, _), .listing(let entries)):
      handles[handle]?.listedCount += entries.count { $0.name != "." && $0.name != ".." }
    default: break
    }
  }

  private func remember(_ node: NodeID, _ handle: HandleID, _ flags: Int32) {
    let track = track(node)
    track.openCount += 1
    handles[handle] = HandleTrack(
      ordinal: track.openCount, isWriter: flags & O_ACCMODE != O_RDONLY)
  }

  /// A new inode got its first name.
  private func named(_ node: NodeID, _ name: Address.Name) {
    nameStamp += 1
    track(node).label = label(name)
  }

  /// Moments that only knew a name now know the inode.
  private func adopt(_ node: NodeID, in decision: inout Decision) {
    for index in decision.moments.indices where decision.moments[index].node == nil {
      decision.moments[index].node = node
    }
  }

  /// Of several sources with the same bytes the one whose name the file gets is meant.
  private func followName(_ node: NodeID) {
    let track = located(node)
    guard let identity = track.identity, let named = finalSources(track).first,
      track.isAmbiguous
        || injector.sources.files[identity].content == injector.sources.files[named].content
    else { return }
    track.identity = named
    track.isAmbiguous = false
    nameStamp += 1
  }

  private func wrote(_ node: NodeID, _ offset: UInt64, _ count: Int) {
    let track = track(node)
    track.writtenByteCount += UInt64(count)
    track.isWrittenNow = true
    track.touchedEnd = max(track.touchedEnd, offset + UInt64(count))
    writtenByteCount += UInt64(count)
  }

  private func didRead(
    _ node: NodeID, _ handle: HandleID, _ offset: UInt64, _ asked: Int, _ count: Int
  ) {
    let track = track(node)
    let end = offset + UInt64(count)
    track.readByteCount += UInt64(count)
    track.touchedEnd = max(track.touchedEnd, end)
    readByteCount += UInt64(count)
    if handles[handle]?.pass == track.passes { track.passEnd = max(track.passEnd, end) }
    if count < asked { handles[handle]?.hasReachedEnd = true }
    if isSource, count > 0, let file = finalSources(located(node)).first {
      injector.sources.wasRead(file, offset..<end)
    }
  }

  /// A file that is cut starts over.
  private func cut(_ track: Track, to byteCount: UInt64) {
    track.writtenByteCount = min(track.writtenByteCount, byteCount)
    guard byteCount == 0 else { return }
    track.phases = []
    track.identity = nil
    track.isAmbiguous = false
    track.failedComparisons = 0
    nameStamp += 1
  }
}
