import FaultModel
import Glibc
import SystemIO

/// Several volumes as folders below the root of one mount, so that the kernel hands
/// copy_file_range from one to the other to us.
///
/// The upper byte of a node or handle number says whose it is, from 1; 0 is the root that holds
/// them, which cannot be changed.
final class SiblingVolumes: Served {
  private let members: [(name: BytePath, volume: any Served)]
  private static let shift: UInt64 = 56
  private static let mask: UInt64 = (1 << shift) - 1
  private static let root: NodeID = 1
  private static let copyLimit: UInt64 = 1 << 20

  init(_ members: [(name: BytePath, volume: any Served)]) {
    precondition(members.count < 255, "more volumes than numbers for them")
    self.members = members
  }

  func serve(_ request: Request) -> Settlement {
    if case .copyFileRange(
      let from, let handle, let offset, let to, let toHandle, let toOffset,
      let count) = request.call, owner(from) != owner(to), let source = owner(from),
      let destination = owner(to)
    {
      return copy(
        request, min(count, Self.copyLimit),
        from: (source, local(from), local(handle), offset),
        to: (destination, local(to), local(toHandle), toOffset))
    }
    let call = request.call
    guard let index = owner(call.node) else { return serveRoot(request) }
    if let other = call.otherNode, owner(other) != index { return .reply(.error(.crossDevice)) }
    let inner = Request(
      unique: request.unique, thread: request.thread, call: call.mapped(local),
      lockOwner: request.lockOwner)
    return outer(members[index].volume.serve(inner), index)
  }

  /// Reads from one volume and hands the bytes to the other, as one call.
  private func copy(
    _ request: Request, _ count: UInt64,
    from: (index: Int, node: NodeID, handle: HandleID, offset: UInt64),
    to: (index: Int, node: NodeID, handle: HandleID, offset: UInt64)
  ) -> Settlement {
    func ask(_ call: Request.Call) -> Request {
      Request(unique: request.unique, thread: request.thread, call: call)
    }
    let read = members[from.index].volume.serve(
      ask(.read(from.node, from.handle, offset: from.offset, count: Int(count))))
    guard case .reply(.data(let bytes)) = read else { return read }
    if bytes.isEmpty { return .reply(.written(0)) }
    return members[to.index].volume.serve(
      ask(.receive(to.node, to.handle, offset: to.offset, data: bytes)))
  }

  func canonical(_ call: Request.Call) -> [UInt8] {
    guard let index = owner(call.node) else { return [] }
    return [UInt8(index)] + members[index].volume.canonical(call.mapped(local))
  }

  // MARK: The root

  private func serveRoot(_ request: Request) -> Settlement {
    switch request.call {
    case .lookup(_, let name):
      guard let index = members.firstIndex(where: { $0.name == name }) else {
        return .reply(.error(.noSuchFile))
      }
      // A member's own root is never looked up by name: its attributes make the entry.
      let asked = Request(
        unique: request.unique, thread: request.thread,
        call: .getattr(Self.root, handle: nil))
      let answer = outer(members[index].volume.serve(asked), index)
      guard case .reply(.attributes(let attributes)) = answer else { return answer }
      return .reply(.entry(attributes))
    case .getattr: return .reply(.attributes(rootAttributes))
    case .opendir: return .reply(.opened(0))
    case .readdir(_, _, let offset, _): return .reply(.listing(listing(from: offset)))
    case .releasedir, .fsyncdir, .access: return .reply(.done)
    case .statfs(let node):
      let asked = Request(
        unique: request.unique, thread: request.thread, call: .statfs(local(node)))
      return members[0].volume.serve(asked)
    case .forget: return .reply(.nothing)
    case .getxattr, .listxattr: return .reply(.error(.notSupported))
    default: return .reply(.error(.readOnly))
    }
  }

  private var rootAttributes: Attributes {
    Attributes(
      node: Self.root, inode: Self.root, kind: .directory, mode: 0o755, byteCount: 4096,
      blocks: 8, linkCount: 2, access: 0, modification: 0, change: 0)
  }

  private func listing(from offset: UInt64) -> [ListedEntry] {
    let names = [BytePath("."), BytePath("..")] + members.map(\.name)
    return names.enumerated().dropFirst(Int(clamping: offset)).map { index, name in
      let number = index < 2 ? Self.root : outer(Self.root, index - 2)
      return ListedEntry(
        name: name, inode: number, kind: .directory, nextOffset: UInt64(index + 1))
    }
  }

  // MARK: Numbers

  private func owner(_ number: UInt64) -> Int? {
    let index = Int(number >> Self.shift) - 1
    return members.indices.contains(index) ? index : nil
  }

  private func local(_ number: UInt64) -> UInt64 { number & Self.mask }

  private func outer(_ number: UInt64, _ index: Int) -> UInt64 {
    (number & Self.mask) | UInt64(index + 1) << Self.shift
  }

  private func outer(_ settlement: Settlement, _ index: Int) -> Settlement {
    guard case .reply(let reply) = settlement else { return settlement }
    switch reply {
    case .entry(let attributes): return .reply(.entry(outer(attributes, index)))
    case .attributes(let attributes): return .reply(.attributes(outer(attributes, index)))
    case .opened(let handle): return .reply(.opened(outer(handle, index)))
    case .created(let attributes, let handle):
      return .reply(.created(outer(attributes, index), outer(handle, index)))
    case .listing(let entries):
      return .reply(
        .listing(
          entries.map { entry in
            var entry = entry
            entry.inode = outer(entry.inode, index)
            return entry
          }))
    default: return settlement
    }
  }

  private func outer(_ attributes: Attributes, _ index: Int) -> Attributes {
    var attributes = attributes
    attributes.node = outer(attributes.node, index)
    attributes.inode = outer(attributes.inode, index)
    return attributes
  }
}
