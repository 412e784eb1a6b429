/// The rows of a run, built one at a time from the compact ledger, so that a million files need no
/// million texts.
public struct RowList: RandomAccessCollection, Sendable {
  private let rowCount: Int
  private let make: @Sendable (Int) -> FileRow

  init(count: Int, make: @escaping @Sendable (Int) -> FileRow) {
    rowCount = count
    self.make = make
  }

  /// Rows that are at hand.
  public init(_ rows: [FileRow] = []) {
    self.init(count: rows.count) { rows[$0] }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { rowCount }
  public subscript(index: Int) -> FileRow { make(index) }
}
