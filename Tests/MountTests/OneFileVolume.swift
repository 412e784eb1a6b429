import FaultModel
import SystemIO

@testable import FaultFS

/// A volume with one file, `/file`, in memory: enough to test the mount without a store.
final class OneFileVolume: Served {
  var bytes: [UInt8]
  /// Requests in order, as short words.
  private(set) var log: [String] = []
  /// Reads are held until then.
  var holdReadsUntil: ContinuousClock.Instant?

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private func attributes(_ node: NodeID) -> Attributes {
    Attributes(
      node: node, inode: node, kind: node == 1 ? .directory : .file,
      mode: node == 1 ? 0o755 : 0o644, byteCount: node == 1 ? 0 : UInt64(bytes.count), blocks: 8,
      linkCount: 1, access: 1_000_000_000, modification: 1_500_000_000, change: -1)
  }

  func serve(_ request: Request) -> Settlement {
    switch request.call {
    case .lookup(_, let name):
      log.append("lookup \(name)")
      return .reply(name == "file" ? .entry(attributes(2)) : .error(.noSuchFile))
    case .getattr(let node, _), .setattr(let node, _, _):
      log.append("stat \(node)")
      return .reply(.attributes(attributes(node)))
    case .open, .opendir: return .reply(.opened(7))
    case .read(_, _, let offset, let count):
      if let until = holdReadsUntil, ContinuousClock.now < until { return .hold(until: until) }
      log.append("read \(offset)+\(count)")
      let start = min(Int(offset), bytes.count)
      return .reply(
        bytes.withUnsafeBytes { all in
          .data(UnsafeRawBufferPointer(rebasing: all[start..<min(start + count, all.count)]))
        })
    case .write(_, _, let offset, let data):
      log.append("write \(offset)+\(data.count)")
      let end = Int(offset) + data.count
      if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
      bytes.withUnsafeMutableBytes {
        UnsafeMutableRawBufferPointer(rebasing: $0[Int(offset)..<end]).copyMemory(from: data)
      }
      return .reply(.written(data.count))
    case .readdir(_, _, let offset, _):
      let all = [
        ListedEntry(name: ".", inode: 1, kind: .directory, nextOffset: 1),
        ListedEntry(name: "..", inode: 1, kind: .directory, nextOffset: 2),
        ListedEntry(name: "file", inode: 2, kind: .file, nextOffset: 3),
      ]
      return .reply(.listing(Array(all.dropFirst(Int(offset)))))
    case .flush, .release, .releasedir, .fsync, .fsyncdir: return .reply(.done)
    case .forget: return .reply(.nothing)
    case .statfs:
      return .reply(
        .statistics(
          Statistics(
            blockSize: 4096, blocks: 1000, freeBlocks: 500, files: 10, freeFiles: 5,
            longestName: 255, isReadOnly: false)))
    default: return .reply(.error(.notImplemented))
    }
  }
}
