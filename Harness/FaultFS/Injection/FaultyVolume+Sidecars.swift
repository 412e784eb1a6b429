import FaultModel
import SystemIO

/// `._NAME` beside each file: what macOS makes on volumes without extended attributes.
///
/// It comes with the file, follows its name and goes with it, all past the subject.
extension FaultyVolume {
  private static let prefix = Array("._".utf8)
  /// The size of an AppleDouble file without a resource fork.
  private static let byteCount: UInt64 = 4096

  func keepSidecars(_ call: Request.Call, _ address: Address) {
    guard store.persona.makesSidecars, let name = address.name else { return }
    switch call {
    case .create, .mknod: if address.node == nil { makeSidecar(of: name) }
    case .unlink: removeSidecar(of: name)
    case .rename:
      guard let newName = address.newName, removeSidecar(of: name) else { return }
      makeSidecar(of: newName)
    default: break
    }
  }

  private func sidecar(of name: Address.Name) -> BytePath? {
    if name.name.bytes.starts(with: Self.prefix) { return nil }
    guard let own = BytePath(Self.prefix + name.name.bytes) else { return nil }
    return (located(name.folder).paths.first ?? "").appending(own)
  }

  private func makeSidecar(of name: Address.Name) {
    guard let path = sidecar(of: name), store.node(at: path) == nil else { return }
    let entry = PlannedEntry(
      kind: .file,
      content: Content(
        key: Content.Key(high: 0x0005_1607, low: UInt64(path.bytes.count)),
        byteCount: Self.byteCount),
      mode: 0o644, modification: MemoryVolume.firstMoment)
    guard (try? store.act(.plant(entry), at: path)) != nil else { return }
    nameStamp += 1
    injector.record(.sidecar, self.name, path)
  }

  /// False when there was none.
  @discardableResult
  private func removeSidecar(of name: Address.Name) -> Bool {
    guard let path = sidecar(of: name), store.node(at: path) != nil,
      (try? store.act(.change(.remove, restoreTimes: true), at: path)) != nil
    else { return false }
    nameStamp += 1
    return true
  }
}
