import FaultModel
import Glibc
import SystemIO

@testable import FaultFS

/// A mount with its loop on a thread of its own, for the time of a test.
final class LiveMount: Sendable {
  let mountPoint: BytePath
  private let thread: Thread
  private let commands: CInt
  private let state: Monitor<State>

  private struct State {
    var isReady = false
    var failure: SystemError?
    var work: [@Sendable (inout Rig) -> Void] = []
  }

  /// What lives on the loop's thread.
  struct Rig {
    let loop: RequestLoop
    var session: FuseSession
    let served: any Served
  }

  /// Mounts in a new folder below the temporary one.
  init(
    cache: CachePolicy = .none, noMmap: Bool = false,
    serving make: @escaping @Sendable () -> any Served
  ) throws {
    // A run that crashed may have left its mounts.
    _ = Mounts.sweep()
    let folder = BytePath("/tmp/custody-mount-tests-\(getpid())-\(RandomID().text)")
    try FileSystem.makeDirectories(folder)
    mountPoint = folder
    let state = Monitor(State())
    self.state = state
    let pipe = try FileDescriptor.pipe()
    var ends: (CInt, CInt) = (-1, -1)
    pipe.split { ends = ($0.release(), $1.release()) }
    commands = ends.1
    let reading = ends.0
    thread = try Thread(name: "mount loop") {
      do throws(SystemError) {
        let loop = try RequestLoop()
        let served = make()
        let session = try FuseSession(
          serving: served, at: folder,
          options: FuseSession.Options(cache: cache, noMmap: noMmap), keeper: loop)
        try loop.add(session)
        var rig = Rig(loop: loop, session: session, served: served)
        try loop.watch(reading) {
          var byte: UInt8 = 0
          if Glibc.read(reading, &byte, 1) != 1 { return loop.stop() }
          let work = state.update { state in
            defer { state.work = [] }
            return state.work
          }
          for job in work { job(&rig) }
        }
        state.update { $0.isReady = true }
        try loop.run()
        loop.answerHeld(with: .inputOutput)
        loop.remove(rig.session)
        // The watch holds the rig, which holds the loop.
        loop.unwatch(reading)
      } catch {
        state.update {
          $0.failure = error
          $0.isReady = true
        }
      }
      Glibc.close(reading)
    }
    let failure = state.wait { $0.isReady ? .some($0.failure) : nil }
    if let failure { throw failure }
  }

  /// Runs on the loop's thread and waits for it.
  func onLoop<Value: Sendable>(_ body: @escaping @Sendable (inout Rig) -> Value) -> Value {
    let result = Monitor<Value?>(nil)
    state.update { state in
      state.work.append { rig in
        let value = body(&rig)
        result.update { $0 = value }
      }
    }
    _ = Glibc.write(commands, "x", 1)
    return result.wait { $0 }
  }

  /// Ends the loop, which aborts the connection, and detaches.
  func end() {
    Glibc.close(commands)
    thread.join()
    _ = Mounts.detach(mountPoint)
    _ = mountPoint.utf8.map { rmdir($0) }
  }
}
