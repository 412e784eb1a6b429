import FaultModel
import SystemIO

/// What a recording says of a request: its target, its kind, and what the volume's state allows.
extension FaultyVolume {
  /// The words that name what a request is about, the same in every run of the case; nil where
  /// there are none.
  func recordedTarget(_ address: Address) -> Target? {
    if let name = address.name, address.operation == .lookup || address.node == nil {
      return target(ofName: name)
    }
    guard let node = address.node else { return nil }
    let track = located(node)
    if !isSource, let identity = track.identity, !track.isAmbiguous, !isTwin(identity) {
      let path = injector.sources.files[identity].path
      return Target(volume: name, subject: .content(.path(path)))
    }
    switch track.label {
    case .temporary(let number): return Target(volume: name, subject: .temporary(number))
    case .marker(let number): return Target(volume: name, subject: .marker(number))
    case .passing, nil: return track.paths.first.map(target(ofPath:))
    }
  }

  private func target(ofName name: Address.Name) -> Target {
    switch label(name) {
    case .temporary(let number): Target(volume: self.name, subject: .temporary(number))
    case .marker(let number): Target(volume: self.name, subject: .marker(number))
    case .passing, nil: target(ofPath: path(name))
    }
  }

  private static let randomNames = [".custody.tmp.", ".custody-status-", "Custody_Report_"]

  /// Names that are others in every run become a pattern.
  private func target(ofPath path: BytePath) -> Target {
    let last = path.lastComponent.bytes
    guard !isSource, let prefix = Self.randomNames.first(where: { last.starts(with: $0.utf8) })
    else { return Target(volume: name, subject: .path(path)) }
    var pattern = (path.parent?.bytes ?? []).map(Self.patternByte)
    if !pattern.isEmpty { pattern.append(UInt8(ascii: "/")) }
    let text = String(decoding: pattern, as: UTF8.self) + prefix + "*" + Self.ending(last)
    return Target(volume: name, subject: .glob(text))
  }

  /// `.json` of a report: two of one run differ in nothing else.
  private static func ending(_ name: [UInt8]) -> String {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, name.count - dot <= 5 else {
      return ""
    }
    return String(decoding: name[dot...], as: UTF8.self)
  }

  private static func patternByte(_ byte: UInt8) -> UInt8 {
    let isPlain =
      (0x21..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "#")
    return isPlain ? byte : UInt8(ascii: "?")
  }

  /// Another source file has the same bytes: `~` cannot tell them apart.
  private func isTwin(_ identity: Int) -> Bool {
    let files = injector.sources.files
    return files.indices.contains {
      $0 != identity && files[$0].content == files[identity].content
    }
  }

  func isReader(_ address: Address) -> Bool {
    address.handle.flatMap { handles[$0] }.map { !$0.isWriter } ?? false
  }

  func recordedKind(_ address: Address) -> RecordedOperation.Kind {
    guard let node = address.node else {
      switch address.name.flatMap(label) {
      case .temporary: return .temporary
      case .marker: return .marker
      case .passing, nil: return .free
      }
    }
    if node == MemoryVolume.rootID { return .root }
    if store.attributes(of: node)?.kind == .directory { return .folder }
    let track = located(node)
    if isSource || source(of: track) != nil { return .file }
    if track.paths.contains(where: { $0.components.first == "Reports" }) { return .report }
    switch track.label {
    case .temporary: return .temporary
    case .marker: return .marker
    case .passing, nil: return .other
    }
  }

  func recordedSize(_ address: Address) -> UInt64 {
    guard let node = address.node else { return 0 }
    if let source = source(of: located(node)) {
      return injector.sources.files[source].content.byteCount
    }
    return store.attributes(of: node)?.byteCount ?? 0
  }

  func recordedPass(_ address: Address) -> Int {
    switch address.operation {
    case .read: address.handle.flatMap { handles[$0]?.pass } ?? 0
    case .readdir: address.node.map { track($0).passes } ?? 0
    default: 0
    }
  }

  func recordedTraits(
    _ address: Address, _ call: Request.Call
  ) -> RecordedOperation.Traits {
    var traits: RecordedOperation.Traits = []
    guard let node = address.node else { return traits }
    if !store.paths(of: node).isEmpty { traits.insert(.isNamed) }
    if store.hasUnsynced(node) { traits.insert(.hasUnsynced) }
    switch call {
    case .setattr(_, _, let change):
      if let held = store.attributes(of: node), change.changes(held) { traits.insert(.changes) }
    case .setxattr, .removexattr: traits.insert(.changes)
    default: break
    }
    return traits
  }

  /// True when an answer from before the last change would be another one.
  func hasOlderAnswer(_ call: Request.Call, _ reply: Reply) -> Bool {
    guard let past else { return false }
    switch (call, reply) {
    case (.read(let node, _, let offset, _), .data(let data)):
      return past.differ(data, at: offset, of: node)
    case (.getattr(let node, _), .attributes(let now)):
      return past.attributes[node].flatMap { now.older($0) } != nil
    case (.lookup(let folder, let name), .entry(let now)):
      let key = PastStates.Name(folder: folder, key: store.names.key(name))
      guard let old = past.names[key] else { return false }
      return old != now.node
    case (.lookup(let folder, let name), .error):
      let key = PastStates.Name(folder: folder, key: store.names.key(name))
      guard let old = past.names[key], let old else { return false }
      return store.attributes(of: old) != nil
    case (.statfs, .statistics(let now)):
      return past.statistics.map { $0.freeBlocks != now.freeBlocks } ?? false
    case (.readdir(let folder, _, let offset, let count), .listing(let entries)):
      return oldListing(entries, call, folder, isFirst: offset == 0, count, past) != nil
    default: return false
    }
  }
}
