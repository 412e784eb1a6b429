import FaultModel
import Glibc
public import SystemIO

/// `harness mount PERSONA BACKING MOUNTPOINT [--script F] [--control SOCKET]`: one volume for
/// anyone, until Ctrl-C.
public struct MountCommand: Sendable {
  public let persona: String
  /// A folder, or the word `memory`.
  public let backing: BytePath
  public let mountPoint: BytePath
  /// A fault script; the rules of its first case that name `dst` are armed.
  public let script: BytePath?
  /// Where the control socket is made.
  public let control: BytePath?
  /// Folders of card layouts, for the script.
  public let cards: [BytePath]
  /// The `harness` executable, for the watchdog.
  public let harness: BytePath

  public init(
    persona: String, backing: BytePath, mountPoint: BytePath, script: BytePath? = nil,
    control: BytePath? = nil, cards: [BytePath] = [], harness: BytePath = "/proc/self/exe"
  ) {
    self.persona = persona
    self.backing = backing
    self.mountPoint = mountPoint
    self.script = script
    self.control = control
    self.cards = cards
    self.harness = harness
  }

  /// The name of the volume in scripts and commands.
  static let volume = "dst"

  /// Serves until SIGINT, SIGTERM or a shutdown command.
  ///
  /// - Parameter say: takes one line for the person at the terminal.
  /// - Returns: 0 after a clean end, 2 for bad arguments, 3 when this machine cannot mount, 4 when
  ///   the mount failed.
  public func run(say: (String) -> Void) -> Int32 {
    for signal in [Signal.hangUp, .pipe] { Signal.ignore(signal) }
    do throws(Refusal) {
      for place in Mounts.sweep() {
        say("harness mount: detached \(place), a mount of a harness that is gone")
      }
      let scriptCase = try scriptCase()
      let places = try places()
      try checkMachine()
      do throws(SystemError) {
        return try serve(scriptCase, places, say)
      } catch {
        throw Refusal(code: 4, text: "\(error)")
      }
    } catch {
      say("harness mount: \(error.text)")
      return error.code
    }
  }

  /// Why nothing was mounted.
  private struct Refusal: Error {
    let code: Int32
    let text: String
  }

  // MARK: Arguments

  private func scriptCase() throws(Refusal) -> ScriptCase {
    guard Persona.named(persona) != nil else {
      let near = Persona.near(persona)
      let hint = near.isEmpty ? Persona.names : near
      throw Refusal(
        code: 2,
        text: "unknown persona '\(persona)'; did you mean \(hint.joined(separator: ", "))?")
    }
    let spec = VolumeSpec(
      name: Self.volume, persona: persona, store: backing == "memory" ? .memory : .backed)
    var statements: [Statement] = []
    if let script { statements = try rules(of: script).map { .rule($0) } }
    return ScriptCase(
      title: "mount", line: 0, text: "", preamble: Preamble(volumes: [spec]),
      statements: statements)
  }

  private func rules(of file: BytePath) throws(Refusal) -> [Rule] {
    do {
      let text = try FileSystem.contents(of: file)
      let script = try ScriptLoader(cards: CardLibrary(folders: cards)).load(
        text, name: file.lastComponent.escaped)
      return script.cases.first?.rules ?? []
    } catch {
      throw Refusal(code: 2, text: "\(error)")
    }
  }

  private func places() throws(Refusal) -> Rig.FixedPlaces {
    let place = try asked { () throws(SystemError) in try FileSystem.absolute(mountPoint) }
    // By its text first: a path call on a mount of a rig that is stuck would hang.
    if let ours = Mounts.ours(holding: place) {
      throw Refusal(code: 2, text: "\(mountPoint) is in use: \(ours) is a mount of a harness")
    }
    let real = try folder(place)
    let table = try asked { () throws(SystemError) in try MountTable.current() }
    if table.entry(at: real) != nil {
      throw Refusal(code: 2, text: "\(mountPoint) is in use: something is mounted there")
    }
    guard backing != "memory" else { return Rig.FixedPlaces(mountPoint: real, backing: "/") }
    let store = try folder(
      try asked { () throws(SystemError) in try FileSystem.absolute(backing) })
    guard !store.components.starts(with: real.components) else {
      throw Refusal(code: 2, text: "\(backing) would lie below its own mount point")
    }
    return Rig.FixedPlaces(mountPoint: real, backing: store)
  }

  /// A folder that exists, without links.
  private func folder(_ path: BytePath) throws(Refusal) -> BytePath {
    let real: BytePath
    do throws(SystemError) {
      real = try resolved(path)
    } catch {
      guard error.errno == .noSuchFile else { throw Refusal(code: 2, text: "\(error)") }
      throw Refusal(code: 2, text: "\(path): there is no such folder")
    }
    let kind = try asked { () throws(SystemError) in
      try FileSystem.metadata(real, followingLinks: true).kind
    }
    guard kind == .directory else { throw Refusal(code: 2, text: "\(path) is no folder") }
    return real
  }

  private func asked<Value>(
    _ body: () throws(SystemError) -> Value
  ) throws(Refusal) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      throw Refusal(code: 2, text: "\(error)")
    }
  }

  private func resolved(_ path: BytePath) throws(SystemError) -> BytePath {
    guard let text = path.withCString({ realpath($0, nil) }) else {
      throw SystemError(call: "realpath", errno: .current, path: path)
    }
    defer { free(text) }
    return BytePath(cString: text)
  }

  private func checkMachine() throws(Refusal) {
    if access("/dev/fuse", R_OK | W_OK) == 0 { return }
    let reason = errno == ENOENT ? "there is no /dev/fuse" : "/dev/fuse may not be opened"
    throw Refusal(
      code: 3,
      text: "\(reason) (\(Errno.current)); run Harness/setup as root, which installs fuse3 and "
        + "opens the device to all")
  }

  // MARK: Serving

  private func serve(
    _ scriptCase: ScriptCase, _ places: Rig.FixedPlaces, _ say: (String) -> Void
  ) throws(SystemError) -> Int32 {
    guard let tag = MountTag(process: getpid()) else {
      throw SystemError(call: "read", errno: .inputOutput, path: "/proc/self/stat")
    }
    let signals = try SignalQueue([.interrupt, .terminate])
    let pipe = try FileDescriptor.pipe()
    // It goes by itself when the pipe ends; the session keeps the terminal's signals from it.
    var guardian = try ChildProcess.spawn(
      ChildProcess.Command(harness, [Array("watchdog".utf8)], newSession: true),
      descriptors: [(pipe.reading.rawValue, 0)])
    var writing: CInt = -1
    pipe.split { reading, end in
      _ = reading
      writing = end.release()
    }
    let watchdog = try WatchdogLink(FileDescriptor(owning: writing), tag: tag)
    let trees = TreeBuilder(cards: CardLibrary(folders: cards))
    let rig = try Rig(
      folder: places.mountPoint, watchdog: watchdog, kernelChecksModes: true, fixed: places
    ) { Injector(host: $0, trees: trees) }
    let code = serve(rig, scriptCase, trees, signals, say)
    rig.end()
    _ = try? guardian.wait(timeout: .seconds(2))
    return code
  }

  private func serve(
    _ rig: Rig, _ scriptCase: ScriptCase, _ trees: TreeBuilder,
    _ signals: borrowing SignalQueue, _ say: (String) -> Void
  ) -> Int32 {
    do {
      _ = try rig.load(scriptCase)
      try rig.store?.arm(Set(scriptCase.rules.map(\.id)))
      rig.loop.performActs()
      try rig.loop.watch(signals.descriptor.rawValue) { rig.loop.stop() }
      let socket = try control.map { try ControlSocket(at: $0, rig: rig, trees: trees) }
      defer { socket?.end() }
      say("\(persona) at \(mountPoint); Ctrl-C unmounts")
      try rig.loop.run()
      return 0
    } catch {
      say("harness mount: \(error)")
      return 4
    }
  }
}
