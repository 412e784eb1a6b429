/// One state after a crash, in the words of a rule.
public struct CrashPin: Hashable, Sendable {
  /// `after fsync dst:"a.mov" nth 1`
  public let moment: String
  /// Numbers of the unsynced changes that are kept.
  public let kept: [Int]

  public init(moment: String, kept: [Int]) {
    self.moment = moment
    self.kept = kept
  }
}

/// A sweep over all states becomes the one state at which it fails, and that keeps as little as it
/// can.
extension Shrinker {
  static let sweep = ["at", "every", "op"]

  /// Takes the state that `pin` finds in place of the sweep; with all states of its moment where
  /// the one alone does not do.
  mutating func pinCrash() -> Bool {
    guard let index = lines.firstIndex(where: { $0.isCrash && $0.place(of: Self.sweep) != nil }),
      let pin = findPin(text)
    else { return false }
    for keep in [pin.words, ["keep", "subsets"]] {
      var candidate = lines
      candidate[index].replace(Self.sweep, with: pin.moment.scriptWords)
      candidate[index].replaceKeep(with: keep)
      if take(Self.runAgain(candidate, behind: index)) { return true }
    }
    return false
  }

  /// Takes kept changes away one by one.
  mutating func dropKept() -> Bool {
    var changed = false
    for index in lines.indices where lines[index].isCrash {
      var place = 0
      while let numbers = lines[index].kept, place < numbers.count {
        var rest = numbers
        rest.remove(at: place)
        var candidate = lines
        candidate[index].replaceKeep(with: CrashPin(moment: "", kept: rest).words)
        if take(candidate) { changed = true } else { place += 1 }
      }
    }
    return changed
  }

  /// A crash at one moment ends the run; what recovers is a run of its own, as a sweep has it
  /// without saying so.
  private static func runAgain(_ lines: [ScriptLine], behind rule: Int) -> [ScriptLine] {
    let runs = lines.indices.filter { $0 > rule && lines[$0].words.first == "run" }
    var lines = lines
    switch runs.count {
    case 0:
      let expect = lines[rule...].firstIndex { $0.words.first == "expect" } ?? lines.endIndex
      lines.insert(contentsOf: [ScriptLine("  run"), ScriptLine("  run")], at: expect)
    case 1: lines.insert(lines[runs[0]], at: runs[0])
    default: break
    }
    return lines
  }
}

extension CrashPin {
  /// What the rule says of the state.
  var words: [String] {
    kept.isEmpty
      ? ["keep", "none"] : ["keep", "only", kept.map(String.init).joined(separator: ",")]
  }
}

extension ScriptLine {
  fileprivate var isCrash: Bool { words.first == "crash" }

  fileprivate func place(of run: [String]) -> Range<Int>? {
    words.indices.first { words[$0...].starts(with: run) }.map { $0..<$0 + run.count }
  }

  fileprivate mutating func replace(_ run: [String], with other: [String]) {
    if let range = place(of: run) { words.replaceSubrange(range, with: other) }
  }

  /// The numbers behind `keep only`.
  fileprivate var kept: [Int]? {
    guard let only = place(of: ["keep", "only"]), words.indices.contains(only.upperBound) else {
      return nil
    }
    return words[only.upperBound].split(separator: ",").compactMap { Int($0) }
  }

  fileprivate mutating func replaceKeep(with other: [String]) {
    guard let keep = words.firstIndex(of: "keep"), words.indices.contains(keep + 1) else {
      words += other
      return
    }
    let count = words[keep + 1] == "only" ? 3 : 2
    words.replaceSubrange(keep..<min(keep + count, words.count), with: other)
  }
}

extension String {
  /// The words of a clause; strings stay whole.
  fileprivate var scriptWords: [String] { ScriptLine(self).words }
}
