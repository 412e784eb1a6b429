/// Names that a misspelt one may have meant.
public enum NearNames {
  /// The candidates within two edits (a swap of neighbours is one), or that begin with the name;
  /// nearest first, at most three. Work is bounded: names over 64 characters have none.
  public static func of(_ name: String, among candidates: [String]) -> [String] {
    let letters = Array(name.lowercased())
    if letters.isEmpty || letters.count > 64 { return [] }
    let allowed = letters.count < 4 ? 1 : 2
    let near = candidates.compactMap { candidate -> (Int, String)? in
      let other = Array(candidate.lowercased())
      if other.starts(with: letters) { return (1, candidate) }
      let distance = distance(letters, Array(other.prefix(64)))
      return distance <= allowed ? (distance, candidate) : nil
    }
    return near.sorted { $0 < $1 }.prefix(3).map(\.1)
  }

  /// The optimal string alignment distance.
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [Array(0...right.count)]
    for (i, a) in left.enumerated() {
      var row = [i + 1]
      for (j, b) in right.enumerated() {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a == b ? 0 : 1))
        if i > 0 && j > 0 && a == right[j - 1] && left[i - 1] == b {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
