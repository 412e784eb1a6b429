import FaultModel
import SystemIO
import Testing

@testable import FaultFS

@Suite struct TrackTableTests {
  @Test("Tracks are found by number wherever a case begins, the root and stale numbers too")
  func numbers() {
    var table = TrackTable()
    let numbers: [NodeID] = [1, 700, 701, 3, 705, 1 << 40, 699]
    var made: [NodeID: Track] = [:]
    for number in numbers {
      #expect(table[number] == nil)
      let track = Track()
      table[number] = track
      made[number] = track
    }
    for number in numbers { #expect(table[number] === made[number]) }
    #expect(table[702] == nil)
    #expect(table[1_000_000] == nil)
    #expect(table.all.map(\.node) == numbers.sorted())
    table[701] = nil
    #expect(table[701] == nil)
    #expect(table.all.count == numbers.count - 1)
  }

  @Test("Both ends of a channel keep the same trees by the same numbers")
  func told() {
    var rig = ToldTrees()
    var client = ToldTrees()
    func tree(_ size: UInt64) -> TreeSnapshot {
      let entry = TreeEntry(
        kind: .file, byteCount: size, digest: "", mode: 0, modification: 0, inode: 2)
      return TreeSnapshot(entries: ["a": entry])
    }
    for size in 0..<40 {
      let made = tree(UInt64(size))
      #expect(rig.number(of: made) == nil)
      #expect(rig.add(made) == client.add(made))
      // Named and not told again, until it is the oldest of too many.
      for back in 0..<16 where size >= back {
        let number = rig.number(of: tree(UInt64(size - back)))
        #expect(number.flatMap(client.tree) == tree(UInt64(size - back)))
      }
      if size >= 16 { #expect(rig.number(of: tree(UInt64(size - 16))) == nil) }
    }
  }
}
