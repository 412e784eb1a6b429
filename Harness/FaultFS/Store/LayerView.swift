import FaultModel
import Glibc
import SystemIO

/// One layer of a MemoryVolume, read-only and without faults, as it stands at each request.
final class LayerView: Served {
  private let volume: MemoryVolume
  private let layer: Layer

  init(of volume: MemoryVolume, layer: Layer) {
    self.volume = volume
    self.layer = layer
  }

  func serve(_ request: Request) -> Settlement {
    do throws(Errno) {
      return .reply(try answer(request.call))
    } catch {
      return .reply(.error(error))
    }
  }

  private func answer(_ call: Request.Call) throws(Errno) -> Reply {
    switch call {
    case .lookup(let parent, let name):
      guard let entry = try entries(parent)[volume.names.key(name)],
        let node = volume.find(entry.node)
      else { throw .noSuchFile }
      return .entry(attributes(node))
    case .getattr(let id, _): return .attributes(attributes(try volume.node(id)))
    case .readlink(let id):
      guard let text = try volume.node(id).linkText else { throw .invalid }
      return .text(text.bytes)
    case .open(let id, let flags):
      if flags & O_ACCMODE != O_RDONLY { throw .readOnly }
      _ = try volume.node(id)
      return .opened(0)
    case .opendir(let id):
      _ = try volume.folder(id)
      return .opened(0)
    case .read(let id, _, let offset, let count): return try read(id, offset, count)
    case .readdir(let id, _, let offset, let count): return try list(id, offset, count)
    case .statfs: return volume.perform(call)
    case .access(_, let mask):
      if mask & W_OK != 0 { throw .readOnly }
      return .done
    case .flush, .release, .releasedir: return .done
    case .forget: return .nothing
    case .getxattr, .listxattr: throw .notSupported
    default: throw .readOnly
    }
  }

  private func entries(_ folder: NodeID) throws(Errno) -> [BytePath: DirectoryEntry] {
    guard let table = try volume.folder(folder).table else { throw .notDirectory }
    return layer == .volatile ? table.entries : table.durable
  }

  private func attributes(_ node: Node) -> Attributes {
    var shown = volume.attributes(of: node)
    let state = volume.state(of: node, layer)
    if node.kind == .file {
      shown.byteCount = state.bytes.byteCount
      shown.blocks = FileBytes.blocks(of: shown.byteCount) * UInt64(Page.blockByteCount / 512)
    }
    shown.mode = state.mode
    shown.access = state.access
    shown.modification = state.modification
    shown.change = state.change
    return shown
  }

  private func read(_ id: NodeID, _ offset: UInt64, _ count: Int) throws(Errno) -> Reply {
    let bytes = volume.state(of: try volume.file(id), layer).bytes
    guard offset < bytes.byteCount, count > 0 else {
      return .data(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    let buffer = volume.scratch(Int(min(UInt64(count), bytes.byteCount - offset)))
    bytes.read(buffer, at: offset)
    return .data(UnsafeRawBufferPointer(buffer))
  }

  private func list(_ id: NodeID, _ offset: UInt64, _ count: Int) throws(Errno) -> Reply {
    var room = count
    var listing: [ListedEntry] = []
    let sorted = try entries(id).values.sorted { $0.cookie < $1.cookie }
    for entry in sorted where entry.cookie > offset {
      guard let node = volume.find(entry.node) else { continue }
      room -= MemoryVolume.listedByteCount(entry.name)
      if room < 0 { break }
      listing.append(
        ListedEntry(
          name: entry.name, inode: volume.shownInode(node), kind: node.kind,
          nextOffset: entry.cookie))
    }
    return .listing(listing)
  }
}
