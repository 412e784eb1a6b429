public import FaultModel
public import HarnessKit
import SystemIO

extension Finding {
  /// True when it may come of these rules: it names a file that one of them is aimed at, or no file
  /// at all, or no rule is aimed at files.
  public func mayCome(of rules: [Rule]) -> Bool {
    let targets = rules.flatMap(\.effect.targets)
    if targets.isEmpty || files.isEmpty { return true }
    return files.contains { file in
      // `dst:CLIP/a.mov`
      guard let colon = file.firstIndex(of: ":") else { return false }
      let path = BytePath(String(file[file.index(after: colon)...]))
      return targets.contains { $0.mayStrike(path) }
    }
  }
}
