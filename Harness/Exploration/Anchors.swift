public import FaultModel

extension [RecordedOperation] {
  /// The operations, those that no rule strikes alone with a moment behind which one does.
  ///
  /// The moment is the last request of the same volume and thread that has words of its own, unless
  /// another request between the two answers to the words of the second.
  public var anchored: [RecordedOperation] {
    var result = self
    for index in indices where self[index].isShadowed {
      let own = self[index]
      for earlier in self[..<index].reversed() {
        guard earlier.target.volume == own.target.volume else { continue }
        if earlier.operation == own.operation && earlier.target == own.target { break }
        if earlier.isShadowed || earlier.thread != own.thread { continue }
        result[index].anchor = "after \(earlier.point)"
        break
      }
    }
    return result
  }
}
