import FaultModel
import Glibc
import SystemIO

/// All mounts of one run of the harness with the loop that serves them. Used by one thread.
final class Rig {
  let loop: RequestLoop
  /// Everything of the rig lies below: `mnt/<volume>` and, for backed stores, `backing/<volume>`.
  let folder: BytePath
  /// The folder of the mount points.
  static let mountPointsName: BytePath = "mnt"
  private let watchdog: WatchdogLink
  private let kernelChecksModes: Bool
  /// The case's volumes get the locks.
  private var hasLocks = false
  /// Where the one volume of `harness mount` goes and what it shows.
  private let fixed: FixedPlaces?
  /// Set right after init, since it needs the rig as its host.
  private(set) var store: (any RigStore)?
  private(set) var mounts: [RigMount] = []
  /// Other ways to a volume, and fault-free views: in the order made.
  private(set) var aliases: [RigAlias] = []
  private var views: [RigView] = []
  private var subject: RigSubject?
  /// What the last load made, if it did.
  private var loaded: (scriptCase: ScriptCase, isGated: Bool)?
  /// The order of a gated case; nil for the usual order of arrival.
  private var gate: RequestGate?
  /// What went wrong in an act that no command waits for; the next `status` tells it.
  var troubles: [String] = []

  struct FixedPlaces {
    let mountPoint: BytePath
    let backing: BytePath
  }

  init(
    folder: BytePath, watchdog: WatchdogLink, kernelChecksModes: Bool, fixed: FixedPlaces? = nil,
    store make: (any RigHost) -> any RigStore
  ) throws(SystemError) {
    loop = try RequestLoop()
    self.folder = folder
    self.watchdog = watchdog
    self.kernelChecksModes = kernelChecksModes
    self.fixed = fixed
    loop.heartbeat = { watchdog.beat() }
    // Without a watchdog nobody would clear up after us.
    try loop.watch(watchdog.descriptor) { [unowned loop] in loop.stop() }
    store = make(self)
  }

  /// Something that may take longer than the watchdog's patience, if it is heavy.
  func long<Value, Failure: Error>(
    isHeavy: Bool = true, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // Each sign wakes the watchdog.
    if !isHeavy { return try body() }
    watchdog.busy()
    defer { watchdog.beat() }
    return try body()
  }

  // MARK: Cases

  /// Makes the case's volumes and their mounts; mounts that fit are kept.
  /// `isSame`: the case is the one of the last load.
  func load(
    _ scriptCase: ScriptCase, gated: Bool = false, isSame: Bool = false
  ) throws(RigError) -> [MountedVolume] {
    guard let store else { throw RigError("the rig has no store") }
    loaded = nil
    subject = nil
    loop.put(nil)
    gate = gated ? RequestGate(seed: scriptCase.preamble.seed) : nil
    store.countsAcrossVolumes = gated
    loop.answerHeld(with: .inputOutput)
    watchdog.isPatient = scriptCase.preamble.volumes.contains { $0.store == .backed }
    let isSpoilt = store.hasTaughtKernel
    forgetNames()
    let isHeavy = isSame ? store.isHeavy : store.isHeavy(scriptCase)
    try long(isHeavy: isHeavy) { () throws(RigError) in
      if isSame { try store.reset() } else { try store.load(scriptCase) }
    }
    endViews()
    endAliases()
    if !isSame { hasLocks = scriptCase.concernsLocks }
    let groups = MountGroup.groups(of: scriptCase.preamble.volumes)
    endMounts { mount in
      isSpoilt || !groups.contains { mount.fits($0.members, options(of: $0)) }
    }
    for group in groups { try mount(group) }
    for spec in scriptCase.preamble.volumes { try makeAlias(spec) }
    loop.performActs()
    loaded = (scriptCase, gated)
    return mountedVolumes(scriptCase.preamble.volumes)
  }

  func reset() throws(RigError) {
    guard let loaded else { throw RigError("no case was loaded") }
    _ = try load(loaded.scriptCase, gated: loaded.isGated, isSame: true)
  }

  /// What the kernel still knows of the last case would make it ask once more in the next one.
  private func forgetNames() {
    for mount in mounts {
      guard let session = mount.session, !session.isOver else { continue }
      let names =
        mount.members.count > 1
        ? mount.members.map { BytePath($0) } : (try? volume(mount.members[0]).knownRootNames) ?? []
      for name in names { session.forget(name) }
    }
  }

  private func options(of group: MountGroup) -> FuseSession.Options {
    FuseSession.Options(
      cache: group.cache, noMmap: group.noMmap, kernelChecksModes: kernelChecksModes,
      hasLocks: hasLocks)
  }

  private func mount(_ group: MountGroup) throws(RigError) {
    let served = try served(group)
    do throws(SystemError) {
      if let kept = mounts.first(where: { $0.members == group.members }) {
        kept.slot.target = served
        if fixed == nil { try kept.clearExposed() }
        return
      }
      let mount = try RigMount(
        mountPoint: fixed?.mountPoint
          ?? folder.appending(Self.mountPointsName).appending(BytePath(group.name)),
        members: group.members, options: options(of: group))
      mount.slot.target = served
      if fixed == nil { try mount.clearExposed() }
      mounts.append(mount)
      try open(mount)
    } catch {
      throw RigError("cannot mount \(group.name): \(error)")
    }
  }

  private func served(_ group: MountGroup) throws(RigError) -> any Served {
    var members: [(name: BytePath, volume: any Served)] = []
    for name in group.members { members.append((BytePath(name), try volume(name))) }
    guard members.count > 1 else { return members[0].volume }
    return SiblingVolumes(members)
  }

  func volume(_ name: String) throws(RigError) -> any RigVolume {
    guard let volume = store?.volumes.first(where: { $0.name == name }) else {
      throw RigError("there is no volume \(name)")
    }
    return volume
  }

  func mount(of volume: String) throws(RigError) -> RigMount {
    guard let mount = mounts.first(where: { $0.members.contains(volume) }) else {
      throw RigError("there is no volume \(volume)")
    }
    return mount
  }

  /// Puts a session on the mount point.
  func open(_ mount: RigMount) throws(SystemError) {
    // A rule may put a medium in while another still takes it out: to look at a mount point that
    // has not gone is to ask a session that only this thread answers.
    if let isGone = mount.isGone { try loop.run { isGone.read { $0 } } }
    let session = try FuseSession(
      serving: mount.slot, at: mount.mountPoint, options: mount.options, keeper: loop)
    try loop.add(session)
    mount.session = session
  }

  // MARK: Runs

  func beginRun(pid: Int32) throws(RigError) {
    guard let subject = RigSubject(pid: pid) else {
      throw RigError("there is no process \(pid)")
    }
    self.subject = subject
    gate?.watch(pid)
    loop.put(gate)
    store?.beginRun()
  }

  func endRun(claimed: Bool) {
    loop.put(nil)
    store?.endRun(claimed: claimed)
    loop.performActs()
    subject = nil
  }

  // MARK: Other ways to a volume

  private func makeAlias(_ spec: VolumeSpec) throws(RigError) {
    guard let alias = spec.alias else { return }
    let target = try path(of: alias.volume, alias.path)
    let made = RigAlias(
      name: spec.name, path: folder.appending(Self.mountPointsName).appending(BytePath(spec.name)),
      target: target, way: alias.by)
    do throws(SystemError) {
      try made.make(served: loop)
    } catch {
      throw RigError("cannot make \(spec.name): \(error)")
    }
    aliases.append(made)
  }

  private func path(of volume: String, _ below: BytePath?) throws(RigError) -> BytePath {
    let mount = try mount(of: volume)
    let root =
      mount.members.count > 1 ? mount.mountPoint.appending(BytePath(volume)) : mount.mountPoint
    return below.map { root.appending($0) } ?? root
  }

  private func mountedVolumes(_ specs: [VolumeSpec]) -> [MountedVolume] {
    specs.compactMap { spec in
      if let alias = aliases.first(where: { $0.name == spec.name }) {
        return MountedVolume(name: spec.name, mountPoint: alias.seenAt)
      }
      guard let path = try? path(of: spec.name, nil) else { return nil }
      return MountedVolume(name: spec.name, mountPoint: path)
    }
  }

  // MARK: Views

  /// Mounts a layer read-only and without faults.
  func view(_ name: String, _ layer: Layer, at mountPoint: BytePath) throws(RigError) {
    let served = try volume(name).view(layer)
    do throws(SystemError) {
      views.append(try RigView(serving: served, at: mountPoint, loop: loop))
    } catch {
      throw RigError("cannot show \(name) at \(mountPoint): \(error)")
    }
  }

  func unview(_ mountPoint: BytePath) throws(RigError) {
    guard let index = views.firstIndex(where: { $0.mountPoint == mountPoint }) else {
      throw RigError("there is no view at \(mountPoint)")
    }
    views.remove(at: index).end(loop)
  }

  // MARK: The end

  /// Ends everything: rules off, held requests answered, the subject ended, connections aborted,
  /// mounts detached, in this order.
  func end() {
    loop.dropControls()
    store?.disarm()
    loop.answerHeld(with: .inputOutput)
    endSubject()
    endViews()
    endAliases()
    endMounts { _ in true }
    watchdog.farewell()
  }

  private func endSubject() {
    guard let subject else { return }
    self.subject = nil
    subject.signal(.continue)
    for (signal, patience) in [(Signal.terminate, 200), (Signal.kill, 1000)]
    where subject.isAlive {
      subject.signal(signal)
      let deadline = ContinuousClock.now + .milliseconds(patience)
      // A client that waits for an answer ends only when it gets it.
      try? loop.watch(subject.descriptor) {}
      try? loop.run { !subject.isAlive || ContinuousClock.now >= deadline }
      loop.unwatch(subject.descriptor)
    }
  }

  private func endViews() {
    for view in views { view.end(loop) }
    views = []
  }

  private func endAliases() {
    for alias in aliases.reversed() { alias.end() }
    aliases = []
  }

  private func endMounts(where condition: (RigMount) -> Bool) {
    for mount in mounts where condition(mount) {
      guard let session = mount.session else { continue }
      loop.remove(session)
      session.close()
      if session.detachedError == nil, let error = Mounts.detach(mount.mountPoint) {
        troubles.append("\(error)")
      }
    }
    mounts.removeAll(where: condition)
  }
}

extension Rig: RigHost {
  func killSubject() { subject?.signal(.kill) }

  func terminateSubject() { subject?.signal(.terminate) }

  func stopSubject(milliseconds: UInt64) {
    guard let subject else { return }
    subject.signal(.stop)
    loop.at(ContinuousClock.now + .milliseconds(Int64(clamping: milliseconds))) {
      subject.signal(.continue)
    }
  }

  func limitSubject(_ limit: Limit, _ value: UInt64) -> Bool {
    guard let subject else { return false }
    let errno = subject.limit(limit, value)
    if errno != 0 { troubles.append("limit subject: \(Errno(rawValue: errno))") }
    return errno == 0
  }

  func eject(volume: String) {
    act("eject \(volume)") { () throws(RigError) in
      let mount = try self.mount(of: volume)
      try self.detach(mount)
      for name in mount.members { try self.volume(name).wasEjected() }
    }
  }

  func insert(volume: String, other: String?) {
    act("insert \(volume)") { () throws(RigError) in
      let mount = try self.mount(of: volume)
      guard mount.session == nil else { throw RigError("\(volume) was not ejected") }
      let inserted = try self.volume(other ?? volume)
      inserted.wasInserted()
      if mount.members.count == 1 { mount.slot.target = inserted }
      try self.reopen(mount)
    }
  }

  func remount(volume: String) {
    act("remount \(volume)") { () throws(RigError) in
      let mount = try self.mount(of: volume)
      try self.detach(mount)
      for name in mount.members { try self.volume(name).wasRemounted() }
      try self.reopen(mount)
    }
  }

  func powerWasCut(volume: String) {
    guard let mount = try? mount(of: volume), mount.options.cache != .none else { return }
    act("crash \(volume)") { () throws(RigError) in
      try self.detach(mount)
      try self.reopen(mount)
    }
  }

  var ownsBackingFolders: Bool { fixed == nil }

  func backingFolder(of volume: String) -> BytePath {
    fixed?.backing ?? folder.appending("backing").appending(BytePath(volume))
  }

  /// Does it before the next answer leaves. What fails is told with the next status: the case is
  /// then broken.
  private func act(_ what: String, _ body: @escaping () throws(RigError) -> Void) {
    loop.beforeAnswer { [unowned self] in
      do throws(RigError) { try body() } catch { troubles.append("\(what): \(error)") }
    }
  }

  /// Handles that are still open keep the old session until the last one is closed.
  private func detach(_ mount: RigMount) throws(RigError) {
    guard let session = mount.session else { return }
    session.detachedError = try volume(mount.members[0]).detachedError
    loop.answerHeld(of: session, with: session.detachedError ?? .noDevice)
    mount.session = nil
    let place = mount.mountPoint
    let failure = Monitor<SystemError?>(nil)
    do throws(SystemError) {
      let isGone = Monitor(false)
      mount.isGone = isGone
      try loop.serveWhile {
        failure.update { $0 = Mounts.detach(place) }
        isGone.update { $0 = true }
      }
    } catch {
      throw RigError("\(error)")
    }
    if let error = failure.read({ $0 }) { throw RigError("\(error)") }
  }

  private func reopen(_ mount: RigMount) throws(RigError) {
    do throws(SystemError) {
      // libfuse looks at the place by its path: on a mount of ours it would wait for us for ever.
      if let there = try MountTable.current().entry(at: mount.mountPoint), there.isConnection {
        throw SystemError(call: "mount", errno: .busy, path: mount.mountPoint)
      }
      try open(mount)
    } catch {
      throw RigError("\(error)")
    }
  }
}
