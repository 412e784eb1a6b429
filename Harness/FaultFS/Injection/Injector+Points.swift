import FaultModel
import SystemIO

/// Points and shares of bytes that rules wait for.
extension Injector {
  enum Announcement {
    case goOn
    /// The subject was killed before the request; it must not happen.
    case subjectIsDead
    /// The medium was pulled, or is being remounted, before the request.
    case mediumIsOut
  }

  /// Acts that come before what the request brings about.
  func announce(
    _ address: Address, _ decision: inout FaultyVolume.Decision, on volume: FaultyVolume
  ) -> Announcement {
    var answer = Announcement.goOn
    for rule in waiting {
      switch rule.timing {
      case .before(let watch):
        if isDue(watch, address, &decision, volume), rule.isAct {
          answer = strike(rule, volume, answer)
        }
      case .after(let watch): _ = isDue(watch, address, &decision, volume)
      case .between(let first, let second):
        if !first.isReached {
          _ = isDue(first, address, &decision, volume)
        } else if isDue(second, address, &decision, volume), rule.isAct {
          answer = strike(rule, volume, answer)
        }
      case nil: break
      }
    }
    return answer
  }

  private func strike(
    _ rule: ArmedRule, _ volume: FaultyVolume, _ answer: Announcement
  ) -> Announcement {
    guard rule.hasStrikesLeft(0) else { return answer }
    let before = rule.fired
    act(rule)
    guard rule.fired > before else { return answer }
    switch rule.rule.effect {
    case .killSubject, .crash: return .subjectIsDead
    case .eject(volume.name), .remount(volume.name): return .mediumIsOut
    default: return answer
    }
  }

  /// The request, if it succeeds, passes the point.
  private func isDue(
    _ watch: PointWatch, _ address: Address, _ decision: inout FaultyVolume.Decision,
    _ volume: FaultyVolume
  ) -> Bool {
    if let place = watch.volume, place != volume.name { return false }
    if let phase = watch.phase {
      let isHere = decision.moments.contains { moment in
        guard moment.phase == phase else { return false }
        guard let matcher = watch.matcher else { return isOfCard(moment, volume) }
        return volume.matches(matcher, moment)
      }
      guard isHere else { return false }
    } else {
      guard !watch.operation.isDisjoint(with: address.bits),
        watch.matcher.map({ volume.matches($0, address) }) ?? true,
        watch.counts(counted(address))
      else { return false }
    }
    if !decision.due.contains(where: { $0 === watch }) { decision.due.append(watch) }
    return true
  }

  /// Acts that come after what the request brought about.
  func conclude(
    _ address: Address, _ decision: FaultyVolume.Decision, _ reply: Reply,
    on volume: FaultyVolume
  ) {
    var succeeded = true
    if case .error = reply { succeeded = false }
    if succeeded {
      for moment in decision.moments where isReal(moment, volume) { volume.passed(moment) }
    }
    if waiting.isEmpty { return }
    let passed = decision.due.filter { watch in
      guard let phase = watch.phase else { return true }
      return succeeded && decision.moments.contains { $0.phase == phase && isReal($0, volume) }
    }
    for watch in passed { watch.wasPassed() }
    for rule in waiting where rule.isAct {
      if case .after(let watch) = rule.timing, passed.contains(where: { $0 === watch }) {
        act(rule)
      } else if rule.timing == nil, rule.progress != nil, hasProgress(rule, address, on: volume) {
        act(rule)
      }
    }
  }

  /// Without `of` only files of the card have phases: a marker or a report is none of them.
  private func isOfCard(_ moment: Moment, _ volume: FaultyVolume) -> Bool {
    if volume.isSource || moment.source != nil { return true }
    return moment.node.map { volume.source(of: volume.located($0)) != nil } ?? false
  }

  /// A short write may leave a file incomplete after all.
  private func isReal(_ moment: Moment, _ volume: FaultyVolume) -> Bool {
    guard moment.phase == .complete, let node = moment.node else { return true }
    let track = volume.located(node)
    guard let source = volume.source(of: track) else { return false }
    return track.writtenByteCount >= sources.files[source].content.byteCount
  }

  // MARK: Progress

  /// `at N%` and `after SIZE`: enough bytes went by.
  func hasProgress(_ rule: ArmedRule, _ address: Address, on volume: FaultyVolume) -> Bool {
    guard let progress = rule.progress else { return true }
    let (done, whole) = measure(progress.measure, address, volume)
    guard let percent = progress.percent else { return done >= progress.byteCount }
    return whole > 0
      && done.multipliedFullWidth(by: 100)
        >= whole.multipliedFullWidth(
          by: UInt64(percent))
  }

  private func measure(
    _ measure: ArmedRule.Progress.Measure, _ address: Address, _ volume: FaultyVolume
  ) -> (done: UInt64, whole: UInt64) {
    switch measure {
    case .source:
      (self.volume(RuleCompiler.sourceName)?.readByteCount ?? 0, sources.totalByteCount)
    case .volume(let name):
      self.volume(name).map {
        ($0.isSource ? $0.readByteCount : $0.writtenByteCount, sources.totalByteCount)
      } ?? (0, 0)
    case .requestedFile: address.node.map { file($0, on: volume) } ?? (0, 0)
    case .file(let matcher): named(matcher)
    }
  }

  private func file(_ node: NodeID, on volume: FaultyVolume) -> (UInt64, UInt64) {
    let track = volume.located(node)
    let planned = volume.source(of: track).map { sources.files[$0].content.byteCount }
    let whole = planned ?? volume.store.attributes(of: node)?.byteCount ?? 0
    return (volume.isSource ? track.readByteCount : track.writtenByteCount, whole)
  }

  /// A file, or all files below a folder; a name that is not there yet goes by the whole volume.
  private func named(_ matcher: TargetMatcher) -> (UInt64, UInt64) {
    guard let volume = volume(matcher.volume) else { return (0, 0) }
    if let node = volume.find(matcher) {
      if volume.store.attributes(of: node)?.kind == .directory { return below(node, volume) }
      return file(node, on: volume)
    }
    let isComing = matcher.path == nil || matcher.path.map { volume.finalNames[$0] != nil } == true
    if isComing { return (0, 0) }
    return (
      volume.isSource ? volume.readByteCount : volume.writtenByteCount, sources.totalByteCount
    )
  }

  private func below(_ folder: NodeID, _ volume: FaultyVolume) -> (UInt64, UInt64) {
    let prefix = (volume.located(folder).paths.first ?? "").bytes + [UInt8(ascii: "/")]
    var done: UInt64 = 0
    for (node, _) in volume.tracks.all
    where volume.located(node).paths.contains(where: { $0.bytes.starts(with: prefix) }) {
      let track = volume.track(node)
      done += volume.isSource ? track.readByteCount : track.writtenByteCount
    }
    let whole = sources.files.filter { $0.path.bytes.starts(with: prefix) }
      .reduce(UInt64(0)) { $0 + $1.content.byteCount }
    return (done, whole)
  }
}

private func >= (left: (high: UInt64, low: UInt64), right: (high: UInt64, low: UInt64)) -> Bool {
  left.high != right.high ? left.high > right.high : left.low >= right.low
}
