import CFuseShims
import FaultModel
import Glibc
public import SystemIO

/// The process that owns all mounts of a run (hidden verb `harness rig`), started by `RigClient`.
public enum RigMain {
  /// Runs until its runner hangs up, a shutdown is asked for, or its watchdog is gone; then ends
  /// all mounts.
  ///
  /// - Parameter arguments: as `RigClient` makes them: control descriptor, watchdog descriptor,
  ///   work folder, then the folders of card layouts.
  /// - Returns: the exit code.
  public static func run(_ arguments: [BytePath]) -> Int32 {
    guard arguments.count >= 3, let control = number(arguments[0]),
      let pipe = number(arguments[1]), let tag = MountTag(process: getpid())
    else { return 2 }
    for signal in [Signal.interrupt, .hangUp, .pipe] { Signal.ignore(signal) }
    // The set-uid helper that libfuse starts must not keep them open.
    for descriptor in [control, pipe] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    do throws(SystemError) {
      let signals = try SignalQueue([.terminate])
      let watchdog = try WatchdogLink(FileDescriptor(owning: pipe), tag: tag)
      _ = Mounts.sweep()
      let cards = CardLibrary(folders: Array(arguments[3...]))
      let rig = Rig(
        folder: arguments[2], watchdog: watchdog, kernelChecksModes: VolumeOwner.needsModes
      ) {
        Injector(host: $0, cards: cards)
      }
      let commands = RigControl(rig, cards: cards)
      commands.attach(ControlChannel(FileDescriptor(owning: control))) { rig.loop.stop() }
      rig.loop.watch(signals.descriptor.rawValue) { rig.loop.stop() }
      let place = arguments[2].appending(Rig.mountPointsName)
      try FileSystem.makeDirectories(place)
      let hasPlace = Mounts.makePlace(place, tag)
      defer {
        rig.end()
        // One that is killed before this is swept by the next rig.
        if hasPlace { _ = Mounts.detach(place) }
      }
      try rig.loop.run()
      return 0
    } catch {
      return 4
    }
  }

  private static func number(_ argument: BytePath) -> CInt? {
    argument.utf8.flatMap { CInt($0) }
  }
}
