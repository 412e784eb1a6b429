/// What is remembered of inodes, by their numbers: a case's begin somewhere and come one after
/// another, so that a number is a place.
struct TrackTable {
  /// The root, and numbers of earlier cases that the kernel still names.
  private var others: [NodeID: Track] = [:]
  private var first: NodeID = 0
  private var places: ContiguousArray<Track?> = []

  /// Numbers further from the first one than this have no place.
  private static let window: NodeID = 1 << 16

  subscript(node: NodeID) -> Track? {
    get {
      guard let place = place(of: node) else { return others[node] }
      return place < places.count ? places[place] : nil
    }
    set {
      if places.isEmpty, node != MemoryVolume.rootID { first = node }
      guard let place = place(of: node) else {
        others[node] = newValue
        return
      }
      while places.count <= place { places.append(nil) }
      places[place] = newValue
    }
  }

  private func place(of node: NodeID) -> Int? {
    guard node >= first, node - first < Self.window, node != MemoryVolume.rootID else { return nil }
    return Int(node - first)
  }

  /// All of them, in the order of their numbers.
  var all: [(node: NodeID, track: Track)] {
    let placed = places.enumerated().compactMap { place, track in
      track.map { (node: first + NodeID(place), track: $0) }
    }
    return (others.map { (node: $0.key, track: $0.value) } + placed).sorted { $0.node < $1.node }
  }
}
