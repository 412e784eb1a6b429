import CFuseShims
import FaultModel
import Glibc
import SystemIO

extension FuseSession {
  /// Sends an answer and so ends the token.
  ///
  /// When the caller no longer waits (it was killed), what the answer handed out is taken back:
  /// the kernel will never release or forget it.
  func answer(_ token: UnsafeMutableRawPointer, _ request: Request, _ reply: Reply) {
    let result = send(token, request, reply)
    guard result == -ENOENT else { return }
    switch (reply, request.call) {
    case (.entry(let attributes), _):
      takeBack(.forget(attributes.node, lookups: 1), of: request)
    case (.created(let attributes, let handle), _):
      takeBack(.release(attributes.node, handle), of: request)
      takeBack(.forget(attributes.node, lookups: 1), of: request)
    case (.opened(let handle), .open(let node, _)):
      takeBack(.release(node, handle), of: request)
    case (.opened(let handle), .opendir(let node)):
      takeBack(.releasedir(node, handle), of: request)
    default: break
    }
  }

  private func takeBack(_ call: Request.Call, of request: Request) {
    _ = served.serve(Request(unique: 0, thread: request.thread, call: call))
  }

  private func send(
    _ token: UnsafeMutableRawPointer, _ request: Request, _ reply: Reply
  ) -> Int32 {
    switch reply {
    case .error(let errno): return ff_reply_error(token, errno.rawValue)
    case .done: return ff_reply_error(token, 0)
    case .nothing:
      ff_reply_none(token)
      return 0
    case .entry(let attributes):
      var raw = shown(attributes)
      return ff_reply_entry(handle, token, &raw)
    case .attributes(let attributes):
      var raw = shown(attributes)
      return ff_reply_attributes(handle, token, &raw)
    case .opened(let number):
      let isDirectory = if case .opendir = request.call { Int32(1) } else { Int32(0) }
      return ff_reply_open(handle, token, number, isDirectory)
    case .created(let attributes, let number):
      var raw = shown(attributes)
      return ff_reply_create(handle, token, &raw, number)
    case .data(let bytes):
      return ff_reply_data(token, bytes.baseAddress, UInt64(bytes.count))
    case .text(let bytes): return send(token, text: bytes, to: request)
    case .written(let count): return ff_reply_written(token, UInt64(count))
    case .listing(let entries): return send(token, listing: entries, to: request)
    case .statistics(let statistics):
      var raw = ff_statistics(statistics)
      return ff_reply_statistics(token, &raw)
    case .offset(let offset): return ff_reply_offset(token, offset)
    case .size(let size): return ff_reply_size(token, UInt64(size))
    case .heldLock(let held):
      let range = held?.range ?? 0..<0
      return ff_reply_lock(
        token, held.map { $0.isExclusive ? F_WRLCK : F_RDLCK } ?? F_UNLCK, range.lowerBound,
        range.upperBound == .max ? 0 : range.upperBound - range.lowerBound, held?.process ?? 0)
    }
  }

  /// A link's text ends with a NUL for libfuse; a value or list of attributes is bytes.
  private func send(
    _ token: UnsafeMutableRawPointer, text: [UInt8], to request: Request
  ) -> Int32 {
    if case .readlink = request.call {
      return (BytePath(text) ?? "").withCString { ff_reply_text(token, $0) }
    }
    return text.withUnsafeBytes { ff_reply_data(token, $0.baseAddress, UInt64($0.count)) }
  }

  private func send(
    _ token: UnsafeMutableRawPointer, listing: [ListedEntry], to request: Request
  ) -> Int32 {
    guard case .readdir(_, _, _, let capacity) = request.call else {
      return ff_reply_error(token, EIO)
    }
    return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { buffer in
      guard let base = buffer.baseAddress else { return ff_reply_data(token, nil, 0) }
      var used: UInt64 = 0
      for entry in listing {
        let type = entry.kind.map(fileType) ?? 0
        let next = entry.name.withCString {
          ff_listing_add(
            token, base, used, UInt64(capacity), $0, entry.inode, type, entry.nextOffset)
        }
        if next == 0 { break }
        used = next
      }
      return ff_reply_data(token, base, used)
    }
  }

  private func shown(_ attributes: Attributes) -> ff_attributes {
    ff_attributes(
      node: attributes.node, inode: attributes.inode, byte_count: attributes.byteCount,
      blocks: attributes.blocks, atime: attributes.access, mtime: attributes.modification,
      ctime: attributes.change, mode: fileType(attributes.kind) | UInt32(attributes.mode),
      link_count: attributes.linkCount, uid: attributes.uid ?? owner.uid,
      gid: attributes.gid ?? owner.gid)
  }
}

/// The type bits of st_mode.
private func fileType(_ kind: TreeEntry.Kind) -> UInt32 {
  switch kind {
  case .file: S_IFREG
  case .directory: S_IFDIR
  case .symlink: S_IFLNK
  case .fifo: S_IFIFO
  case .other: S_IFSOCK
  }
}

extension ff_statistics {
  fileprivate init(_ statistics: Statistics) {
    self.init(
      block_size: UInt64(statistics.blockSize), blocks: statistics.blocks,
      free_blocks: statistics.freeBlocks, files: statistics.files,
      free_files: statistics.freeFiles, longest_name: UInt64(statistics.longestName),
      read_only: statistics.isReadOnly ? 1 : 0)
  }
}
