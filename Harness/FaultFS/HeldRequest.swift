import SystemIO

/// A request whose answer waits: it owns a copy of the bytes that came with it.
final class HeldRequest {
  let request: Request
  let token: UnsafeMutableRawPointer
  unowned let session: FuseSession
  var until: ContinuousClock.Instant
  private let copy: UnsafeMutableRawBufferPointer?

  init(
    _ request: Request, token: UnsafeMutableRawPointer, session: FuseSession,
    until: ContinuousClock.Instant
  ) {
    self.token = token
    self.session = session
    self.until = until
    guard case .write(let node, let handle, let offset, let data) = request.call else {
      self.request = request
      copy = nil
      return
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
    copy.copyMemory(from: data)
    self.copy = copy
    self.request = Request(
      unique: request.unique, thread: request.thread,
      call: .write(node, handle, offset: offset, data: UnsafeRawBufferPointer(copy)))
  }

  deinit {
    copy?.deallocate()
  }
}
