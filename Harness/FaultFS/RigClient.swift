public import FaultModel
import Glibc
public import SystemIO
import Wire

/// The runner's side of a rig: starts the watchdog and the rig as processes of their own, sends
/// commands and waits for each answer. One thread at a time; every call blocks.
///
/// The runner never resolves a path on the rig's mounts itself.
public final class RigClient {
  /// The longest time for one answer: a load that builds gigabytes.
  private static let patience = Duration.seconds(120)

  /// Process id of the rig.
  public let pid: Int32
  /// Process id of its watchdog.
  public var watchdogPID: Int32 { watchdog.pid }
  private var watchdog: ChildProcess
  /// The rig's process, or its thread in this one.
  private var process: ChildProcess?
  private let thread: Thread?
  private var channel: LineReader?
  private var lastID = 0
  var told = ToldTrees()
  private var hasEnded = false
  /// What rig and watchdog say.
  private var logPath: BytePath?

  private init(
    watchdog: consuming ChildProcess, process: consuming ChildProcess,
    channel: consuming FileDescriptor
  ) {
    pid = process.pid
    self.watchdog = watchdog
    self.process = consume process
    thread = nil
    self.channel = LineReader(channel, lengthLimit: Self.longestAnswer)
  }

  private init(
    watchdog: consuming ChildProcess, thread: Thread, channel: consuming FileDescriptor
  ) {
    pid = getpid()
    self.watchdog = watchdog
    process = nil
    self.thread = thread
    self.channel = LineReader(channel, lengthLimit: Self.longestAnswer)
  }

  private static let longestAnswer = 1 << 30

  deinit {
    end()
  }

  /// Starts a rig.
  ///
  /// - Parameters:
  ///   - harness: the `harness` executable, for its hidden verbs.
  ///   - workFolder: an absolute folder for mount points and the rig's log; made when missing.
  ///   - cards: folders with card layouts.
  ///   - owner: whom the volumes belong to; nil for this user.
  public static func start(
    harness: BytePath, workFolder: BytePath, cards: [BytePath],
    owner: (user: UInt32, group: UInt32)? = nil
  ) throws(RigError) -> RigClient {
    let client: RigClient
    do throws(SystemError) {
      client = try spawn(harness, workFolder, cards, owner)
      client.logPath = workFolder.appending("rig.log")
    } catch {
      throw RigError("cannot start the rig: \(error)")
    }
    do throws(RigError) {
      // The first answer shows that it serves.
      _ = try client.status()
      return client
    } catch {
      throw RigError("the rig did not start (see \(workFolder.appending("rig.log"))): \(error)")
    }
  }

  private static func spawn(
    _ harness: BytePath, _ workFolder: BytePath, _ cards: [BytePath],
    _ owner: (user: UInt32, group: UInt32)?
  ) throws(SystemError) -> RigClient {
    let log = try log(workFolder)
    let pipe = try FileDescriptor.pipe()
    let watchdog = try startWatchdog(harness, pipe.reading, log)
    let pair = try UnixSocket.pair()
    let arguments: [BytePath] = ["rig", "3", "4", workFolder] + cards
    var command = ChildProcess.Command(harness, arguments.map(\.bytes), newSession: true)
    command.environment = environment(owner)
    let rig = try ChildProcess.spawn(
      command,
      descriptors: [
        (log.rawValue, 1), (log.rawValue, 2), (pair.second.rawValue, 3),
        (pipe.writing.rawValue, 4),
      ])
    var ours: CInt = -1
    pair.split { first, second in
      ours = first.release()
      _ = second
    }
    return RigClient(
      watchdog: watchdog, process: rig, channel: FileDescriptor(owning: ours))
  }

  /// What is written on volumes in memory is fresh memory, whose faults in small pages take longer
  /// than the copy: glibc is to ask for huge ones, unless somebody has tuned it.
  private static let tunables = "GLIBC_TUNABLES"

  private static func environment(_ owner: (user: UInt32, group: UInt32)?) -> [[UInt8]] {
    var entries = Environment.entries
    if Environment.value(tunables) == nil {
      entries.append(Array("\(tunables)=glibc.malloc.hugetlb=1".utf8))
    }
    if let owner {
      entries.append(Array("\(VolumeOwner.variable)=\(owner.user):\(owner.group)".utf8))
    }
    return entries
  }

  private static func log(_ workFolder: BytePath) throws(SystemError) -> FileDescriptor {
    try FileSystem.makeDirectories(workFolder)
    return try FileDescriptor.open(
      workFolder.appending("rig.log"), .writeOnly, options: [.create, .append], mode: 0o644)
  }

  private static func startWatchdog(
    _ harness: BytePath, _ pipe: borrowing FileDescriptor, _ log: borrowing FileDescriptor
  ) throws(SystemError) -> ChildProcess {
    try ChildProcess.spawn(
      ChildProcess.Command(harness, [Array("watchdog".utf8)], newSession: true),
      descriptors: [(pipe.rawValue, 0), (log.rawValue, 1), (log.rawValue, 2)])
  }

  /// Starts a rig on a thread of this process, on the core of the caller where that is bound to
  /// one: for measurements. Its watchdog is a process all the same, and kills this one when the
  /// rig is stuck.
  public static func startHere(
    harness: BytePath, workFolder: BytePath, cards: [BytePath]
  ) throws(RigError) -> RigClient {
    do throws(SystemError) {
      guard let tag = MountTag(process: getpid()) else {
        throw SystemError(call: "open", errno: .inputOutput, path: "/proc/self/stat")
      }
      let log = try log(workFolder)
      let (reading, writing) = try FileDescriptor.pipe().split { ($0.release(), $1.release()) }
      let watchdog = try startWatchdog(harness, FileDescriptor(owning: reading), log)
      let (ours, theirs) = try UnixSocket.pair().split { ($0.release(), $1.release()) }
      let thread = try Thread(name: "rig") {
        // What goes wrong shows as the end of the channel.
        try? RigMain.serve(
          control: FileDescriptor(owning: theirs), watchdog: FileDescriptor(owning: writing), tag,
          folder: workFolder, cards: cards)
      }
      return RigClient(
        watchdog: watchdog, thread: thread, channel: FileDescriptor(owning: ours))
    } catch {
      throw RigError("cannot start the rig: \(error)")
    }
  }

  // MARK: Commands

  /// Makes the volumes of a case anew, mounts them and fills them; every rule is silent.
  ///
  /// - Parameter gated: requests of the subject wait until all its threads are blocked and come in
  ///   an order that the case's seed chooses.
  /// - Returns: the volumes and aliases in the script's order.
  public func load(
    _ script: Script, caseIndex: Int, gated: Bool = false
  ) throws(RigError) -> [MountedVolume] {
    let answer = try ask(
      "load",
      [
        .init("name", .text(script.name)), .init("case", JSON(caseIndex)),
        .init("script", .text(script.text)), .init("gated", .bool(gated)),
      ])
    var volumes: [MountedVolume] = []
    for item in try RigMessage.list(answer["volumes"], "the volumes") {
      volumes.append(try MountedVolume(item))
    }
    return volumes
  }

  /// Makes the case of the last load anew and arms some of its rules.
  ///
  /// Mounts that an ejection has moved are made anew too: where the volumes are seen stays as the
  /// load said.
  public func reset(arming ruleIDs: [Int]) throws(RigError) {
    _ = try ask("reset", [.init("rules", .array(ruleIDs.map { JSON($0) }))])
  }

  /// Arms rules of the case, further to those that are armed.
  public func arm(ruleIDs: [Int]) throws(RigError) {
    _ = try ask("arm", [.init("rules", .array(ruleIDs.map { JSON($0) }))])
  }

  /// Takes every rule out of force; what has fired stays counted.
  public func disarm() throws(RigError) {
    _ = try ask("disarm")
  }

  /// Carries out a `given` that stands between two runs; counted from 0 in the case.
  public func apply(givenOrdinal: Int) throws(RigError) {
    _ = try ask("given", [.init("ordinal", JSON(givenOrdinal))])
  }

  /// From now on kill, terminate and stop strike this process.
  public func beginRun(processID: Int32) throws(RigError) {
    _ = try ask("begin", [.init("pid", JSON(processID))])
  }

  /// The subject has claimed or ended: the phase `done`.
  public func endRun(claimed: Bool) throws(RigError) {
    _ = try ask("end", [.init("claimed", .bool(claimed))])
  }

  /// What has fired, what the rig itself did, and how many bytes were struck.
  public func status() throws(RigError) -> RigStatus {
    try RigStatus(try ask("status"))
  }

  /// Writes down every request from now on until the next load; `isAgain` for the case that was
  /// recorded right before, whose targets are then counted from the start.
  public func observe(isAgain: Bool) throws(RigError) {
    _ = try ask("observe", [.init("again", .bool(isAgain))])
  }

  /// The requests that were written down, in order.
  public func operations() throws(RigError) -> [RecordedOperation] {
    var operations: [RecordedOperation] = []
    for item in try RigMessage.list(try ask("operations")["operations"], "the operations") {
      operations.append(try RecordedOperation(item))
    }
    return operations
  }

  /// Records what a crash of the named volumes may leave, from now on to the end of the run.
  public func record(_ volumes: [String]) throws(RigError) {
    _ = try ask("record", [.init("volumes", .array(volumes.map { JSON.text($0) }))])
  }

  /// The states that a crash could have left in the recorded run; ends the recording.
  ///
  /// - `tearsLastWrite`: the last write before a crash point may be kept in part, by sectors.
  public func crashStates(tearsLastWrite: Bool = false) throws(RigError) -> CrashStateList {
    try CrashStateList(try ask("states", [.init("tear", .bool(tearsLastWrite))]))
  }

  /// Brings every destination to a state of that list, as often as wanted and in any order.
  ///
  /// - Returns: the unsynced changes that it keeps, one line each.
  public func install(crashState index: Int) throws(RigError) -> [String] {
    try RigMessage.list(
      try ask("install", [.init("state", JSON(index))])["kept"], "the changes"
    ).compactMap(\.text)
  }

  /// Every request of the case so far.
  public func trace() throws(RigError) -> [TraceRecord] {
    var records: [TraceRecord] = []
    for item in try RigMessage.list(try ask("trace")["records"], "the trace") {
      records.append(try TraceRecord(item))
    }
    return records
  }

  /// Mounts a layer read-only and without faults, raw names, until `unview` or the next load.
  public func view(_ volume: String, _ layer: Layer, at mountPoint: BytePath) throws(RigError) {
    _ = try ask(
      "view",
      [
        .init("volume", .text(volume)), .init("layer", .text(layer.rawValue)),
        .init("at", RigMessage.json(mountPoint)),
      ])
  }

  /// Takes a view away again.
  public func unview(at mountPoint: BytePath) throws(RigError) {
    _ = try ask("unview", [.init("at", RigMessage.json(mountPoint))])
  }

  /// Pulls the medium: its mount point shows the folder below.
  public func eject(_ volume: String) throws(RigError) {
    _ = try ask("eject", [.init("volume", .text(volume))])
  }

  /// Puts the medium back, or another one in its place.
  public func insert(_ volume: String, as other: String? = nil) throws(RigError) {
    _ = try ask(
      "insert", [.init("volume", .text(volume)), .init("as", .text(orNull: other))])
  }

  /// Mounts a volume anew: what was not durable stays, the kernel forgets what it knew.
  public func remount(_ volume: String) throws(RigError) {
    _ = try ask("remount", [.init("volume", .text(volume))])
  }

  /// Ends all mounts and both processes.
  ///
  /// - Throws: when the rig had to be cleared away by its watchdog.
  public func shutdown() throws(RigError) {
    _ = try? ask("shutdown")
    guard end() else { throw RigError("the rig did not end by itself; its watchdog ended it") }
  }

  /// Closes the control channel and nothing else, as the runner's death would.
  func hangUp() { channel = nil }

  /// Hanging up ends the rig; one that does not is killed, and the watchdog clears up.
  @discardableResult
  private func end() -> Bool {
    guard !hasEnded else { return true }
    hasEnded = true
    channel = nil
    let hasEndedItself = endServer()
    let cleared = try? watchdog.wait(timeout: .seconds(10))
    return hasEndedItself && cleared?.isSuccess == true
  }

  private func endServer() -> Bool {
    if let thread {
      thread.join()
      return true
    }
    if let ended = try? process?.wait(timeout: .seconds(10)) { return ended.isSuccess }
    try? process?.kill(.kill)
    _ = try? process?.wait()
    return false
  }

  /// How the rig ended, and the last line of its log, for a message.
  private var lastWords: String {
    var words = ""
    if let status = try? process?.wait(timeout: .milliseconds(500)) { words += "; \(status)" }
    if let logPath, let text = try? FileSystem.contents(of: logPath),
      let line = text.split(separator: UInt8(ascii: "\n")).last
    {
      words += "; " + String(decoding: line, as: UTF8.self)
    }
    return words
  }

  func ask(_ verb: String, _ members: [JSON.Member] = []) throws(RigError) -> JSON {
    guard channel != nil else { throw RigError("the rig has ended") }
    lastID += 1
    let line =
      JSON.object([.init("id", JSON(lastID)), .init("verb", .text(verb))] + members).line
    let answer: [UInt8]?
    do throws(SystemError) {
      try channel?.descriptor.sendAll(line)
      answer = try channel?.next(timeout: Self.patience)
    } catch {
      throw RigError("\(verb): the rig does not answer: \(error)\(lastWords)")
    }
    guard let answer else { throw RigError("\(verb): the rig has ended\(lastWords)") }
    guard let json = try? JSON.parse(answer), json["id"]?.int == lastID else {
      throw RigError("\(verb): the rig's answer is damaged")
    }
    if let error = json["error"]?.text { throw RigError("\(verb): \(error)") }
    return json
  }
}
