import FaultModel

/// The last trees that went over a control channel, with their numbers. Both sides keep the same
/// ones, so that a tree that is there already is named and not told again: most of what a run
/// leaves is what was there before it, on both layers.
struct ToldTrees {
  private static let limit = 16
  private var trees: [(number: Int, tree: TreeSnapshot)] = []
  private var last = 0

  /// The number of a tree that is kept.
  func number(of tree: TreeSnapshot) -> Int? { trees.last { $0.tree == tree }?.number }

  func tree(_ number: Int) -> TreeSnapshot? { trees.last { $0.number == number }?.tree }

  /// Keeps a tree, and lets the oldest go.
  ///
  /// - Returns: its number.
  @discardableResult
  mutating func add(_ tree: TreeSnapshot) -> Int {
    last += 1
    if trees.count == Self.limit { trees.removeFirst() }
    trees.append((last, tree))
    return last
  }
}
