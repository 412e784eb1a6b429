import FaultModel
import SystemIO

/// Node ids for spellings of names that are not the listed ones, so that the kernel sees another
/// inode there and hands on a rename from one spelling to the other (`Persona.Spelling`).
///
/// Requests under such an id are for the file itself: nothing but the kernel's view differs.
struct SpellingNodes {
  private static let mark: NodeID = 1 << 55
  private var nodes: [NodeID: (node: NodeID, key: Key, lookups: UInt64)] = [:]
  private var ids: [Key: NodeID] = [:]
  private var last = mark

  private struct Key: Hashable {
    let parent: NodeID
    let name: BytePath
    let node: NodeID
  }

  /// The request as the volume understands it. 0 is nobody's id.
  mutating func plain(_ request: Request) -> Request {
    let call = request.call.mapped { $0 & Self.mark == 0 ? $0 : nodes[$0]?.node ?? 0 }
    if case .forget(let id, let lookups) = request.call { forget(id, lookups) }
    return Request(
      unique: request.unique, thread: request.thread, call: call, lockOwner: request.lockOwner)
  }

  /// The answer as the kernel is to see it. `call` is as the kernel asked it.
  mutating func shown(_ reply: Reply, to call: Request.Call, on store: any Volume) -> Reply {
    let ownsNumber = store.persona.spelling == .ownNumber
    switch (reply, call) {
    case (.entry(var attributes), .lookup(let asked, let name)):
      let parent = nodes[asked]?.node ?? asked
      guard let listed = store.listedName(of: name, in: parent), listed != name else {
        return reply
      }
      attributes.node = id(Key(parent: parent, name: name, node: attributes.node))
      if ownsNumber { attributes.inode = attributes.node }
      return .entry(attributes)
    case (.attributes(var attributes), _) where ownsNumber && call.node & Self.mark != 0:
      attributes.inode = call.node
      return .attributes(attributes)
    default: return reply
    }
  }

  private mutating func id(_ key: Key) -> NodeID {
    let id = ids[key] ?? last + 1
    last = max(last, id)
    ids[key] = id
    nodes[id, default: (key.node, key, 0)].lookups += 1
    return id
  }

  private mutating func forget(_ id: NodeID, _ lookups: UInt64) {
    guard let known = nodes[id] else { return }
    if known.lookups > lookups {
      nodes[id]?.lookups -= lookups
    } else {
      nodes[id] = nil
      ids[known.key] = nil
    }
  }
}
