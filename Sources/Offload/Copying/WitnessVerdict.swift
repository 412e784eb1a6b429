import Hashing

/// What the witnesses of one copy say: the bytes read while copying, the source read again, and the
/// copy read back (offload decision 2).
struct WitnessVerdict {
  let copied: Digests
  /// nil when the source was read once only.
  let reread: Digests?
  let found: Digests?
  /// True when the two re-reads differed in a byte.
  let foundDifference: Bool

  /// nil when all agree.
  func failure(isReused: Bool, _ copy: DestinationCopy) -> Failure? {
    guard let found else { return Failure("the copy was not read back whole") }
    let sourceAgrees = reread == nil || reread == copied
    let copyAgrees = found == copied && !foundDifference
    if sourceAgrees && copyAgrees { return nil }
    if sourceAgrees && isReused { return copy.conflict("a different file is there") }
    return Failure(
      cause(found), outcome: .checksumMismatch, witness: lonelyWitness(found))
  }

  /// The witness that the two others contradict; nil when all three differ, or when there are two.
  private func lonelyWitness(_ found: Digests) -> Witness? {
    guard let reread else { return nil }
    if foundDifference && reread == found { return nil }
    if copied == reread { return .destination }
    if copied == found { return .sourceReread }
    if reread == found { return .sourceRead }
    return nil
  }

  private func cause(_ found: Digests) -> String {
    switch lonelyWitness(found) {
    case .destination: return "checksum mismatch: the copy differs from both reads of the source"
    case .sourceReread: return "checksum mismatch: the source's second read differs"
    case .sourceRead: return "checksum mismatch: the source's first read differs"
    case nil:
      return reread == nil
        ? "checksum mismatch: the copy differs from what was read"
        : "checksum mismatch: no two of the three reads agree"
    }
  }
}
