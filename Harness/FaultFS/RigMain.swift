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
      try serve(
        control: FileDescriptor(owning: control), watchdog: FileDescriptor(owning: pipe), tag,
        folder: arguments[2], cards: Array(arguments[3...]),
        endsWith: signals.descriptor.rawValue)
      return 0
    } catch {
      return 4
    }
  }

  /// What a case needs is freed at its end and asked for again by the next one.
  private static let keptMemory: UInt64 = 256 << 20

  /// Serves until the other end of `control` hangs up, a shutdown is asked for or the watchdog is
  /// gone; then ends all mounts.
  ///
  /// - `endsWith`: a descriptor that tells to end by becoming readable.
  static func serve(
    control: consuming FileDescriptor, watchdog pipe: consuming FileDescriptor, _ tag: MountTag,
    folder: BytePath, cards: [BytePath], endsWith: CInt? = nil
  ) throws(SystemError) {
    let watchdog = try WatchdogLink(pipe, tag: tag)
    _ = Mounts.sweep()
    let trees = TreeBuilder(cards: CardLibrary(folders: cards))
    ff_keep_memory(keptMemory)
    let rig = try Rig(
      folder: folder, watchdog: watchdog, kernelChecksModes: VolumeOwner.needsModes
    ) {
      Injector(host: $0, trees: trees)
    }
    let commands = RigControl(rig, trees: trees)
    try commands.attach(ControlChannel(control)) { rig.loop.stop() }
    if let endsWith { try rig.loop.watch(endsWith) { rig.loop.stop() } }
    let place = folder.appending(Rig.mountPointsName)
    try FileSystem.makeDirectories(place)
    let hasPlace = Mounts.makePlace(place, tag)
    defer {
      rig.end()
      // One that is killed before this is swept by the next rig.
      if hasPlace { _ = Mounts.detach(place) }
    }
    try rig.loop.run()
  }

  private static func number(_ argument: BytePath) -> CInt? {
    argument.utf8.flatMap { CInt($0) }
  }
}
