import Glibc
import SystemIO

/// The names of one directory, sorted as whole paths sort, in two blocks of memory however many
/// they are.
struct DirectoryListing {
  struct Entry {
    let start: UInt32
    let length: UInt16
    /// nil where the file system did not say.
    var kind: FileKind?
  }

  private(set) var names: [UInt8] = []
  private(set) var entries: [Entry] = []

  /// Reads a directory once, from its start to its end.
  ///
  /// A kind that the listing leaves open is asked for, since directories sort with a slash behind
  /// their name: `a.b` comes before `a/x`, as in a sorted list of paths. So is one that would leave
  /// the entry out: a listing that calls a file a fifo must not lose it.
  init(_ directory: borrowing PinnedDirectory) throws(SystemError) {
    var names: [UInt8] = []
    var entries: [Entry] = []
    try directory.forEachEntry { entry in
      entries.append(
        Entry(
          start: UInt32(names.count), length: UInt16(entry.name.bytes.count), kind: entry.kind))
      names += entry.name.bytes
      return true
    }
    self.names = names
    self.entries = entries
    for index in entries.indices {
      if entries[index].kind == .regular || entries[index].kind == .directory { continue }
      // A name that went away meanwhile stays without a kind: whoever needs the file will say so.
      self.entries[index].kind = try directory.metadataIfPresent(of: name(index))?.kind
    }
    sort()
  }

  func name(_ index: Int) -> BytePath {
    let entry = entries[index]
    let start = Int(entry.start)
    return BytePath(Array(names[start..<(start + Int(entry.length))])) ?? ""
  }

  /// The index of a name; nil when it is not listed.
  func firstIndex(of name: BytePath) -> Int? {
    // A name sorts in one of two places, as a file or as a directory.
    [false, true].lazy.compactMap { asDirectory in
      let place = self.lowerBound(name, asDirectory)
      return place < self.entries.count && self.isEqual(place, name) ? place : nil
    }.first
  }

  /// Two entries of one name, which no sound directory has.
  var duplicate: BytePath? {
    guard entries.count > 1 else { return nil }
    for index in 1..<entries.count where isEqual(index - 1, name(index)) { return name(index) }
    return nil
  }

  private mutating func sort() {
    names.withUnsafeBytes { bytes in
      entries.sort { Self.compare(bytes, $0, $1) < 0 }
    }
  }

  private static func compare(
    _ bytes: UnsafeRawBufferPointer, _ left: Entry, _ right: Entry
  ) -> Int {
    let shared = Int(min(left.length, right.length))
    if shared > 0, let base = bytes.baseAddress {
      let order = memcmp(base + Int(left.start), base + Int(right.start), shared)
      if order != 0 { return Int(order) }
    }
    return next(bytes, left, shared) - next(bytes, right, shared)
  }

  /// The byte behind the first `count` of a name: a slash for a directory's end, else less than
  /// any byte.
  private static func next(_ bytes: UnsafeRawBufferPointer, _ entry: Entry, _ count: Int) -> Int {
    if count < Int(entry.length) { return Int(bytes[Int(entry.start) + count]) }
    return entry.kind == .directory ? Int(UInt8(ascii: "/")) : -1
  }

  private func isEqual(_ index: Int, _ name: BytePath) -> Bool {
    let entry = entries[index]
    let start = Int(entry.start)
    return names[start..<(start + Int(entry.length))].elementsEqual(name.bytes)
  }

  private func lowerBound(_ name: BytePath, _ asDirectory: Bool) -> Int {
    let wanted = asDirectory ? name.bytes + [UInt8(ascii: "/")] : name.bytes
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if sortKey(middle).lexicographicallyPrecedes(wanted) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private func sortKey(_ index: Int) -> [UInt8] {
    let entry = entries[index]
    let start = Int(entry.start)
    let name = Array(names[start..<(start + Int(entry.length))])
    return entry.kind == .directory ? name + [UInt8(ascii: "/")] : name
  }
}
