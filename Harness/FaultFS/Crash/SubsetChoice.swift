/// Which sets of units a power cut may leave.
///
/// All sets that hold what each of their units requires, if there are at most `limit`. Else,
/// bounded: none, all, each unit alone (with what it requires), all but one (and what requires it),
/// and the first so many in order; the last three for the last `window` units only.
struct SubsetChoice {
  let units: [CrashUnit]
  var limit = 256
  var window = 64

  /// The sets as ascending numbers of units, none first, each once.
  var sets: [[Int]] {
    if let every { return every }
    var found: Set<[Int]> = []
    return bounded.filter { found.insert($0).inserted }
  }

  /// nil when there are too many.
  private var every: [[Int]]? {
    var sets: [[Int]] = [[]]
    for (index, unit) in units.enumerated() {
      for set in sets where unit.requires.allSatisfy(set.contains) { sets.append(set + [index]) }
      if sets.count > limit { return nil }
    }
    return sets
  }

  private var bounded: [[Int]] {
    let all = Array(units.indices)
    let last = all.suffix(window)
    return [[], all] + last.map(closure)
      + last.map { dropped in
        var gone: Set<Int> = [dropped]
        for index in all[dropped...] where !gone.isDisjoint(with: units[index].requires) {
          gone.insert(index)
        }
        return all.filter { !gone.contains($0) }
      } + last.map { Array(all[..<$0]) }
  }

  /// The units of these operations with everything that they require.
  func closure(of operations: [Int]) -> [Int] {
    let named = units.indices.filter {
      !units[$0].operations.allSatisfy { !operations.contains($0) }
    }
    return Set(named.flatMap(closure(of:))).sorted()
  }

  /// The unit with everything that it requires.
  private func closure(of index: Int) -> [Int] {
    var needed: Set<Int> = [index]
    for number in units.indices.prefix(index + 1).reversed() where needed.contains(number) {
      needed.formUnion(units[number].requires)
    }
    return needed.sorted()
  }
}
