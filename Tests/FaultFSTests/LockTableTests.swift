import Glibc
import Testing

@testable import FaultFS

/// man 2 fcntl, man 2 flock.
@Suite struct LockTableTests {
  private static let node: NodeID = 5

  private static func lock(
    _ owner: UInt64, _ type: Int32, _ range: Range<UInt64> = 0..<UInt64.max, isWhole: Bool = false
  ) -> LockRequest {
    LockRequest(
      owner: LockOwner(id: owner, isWhole: isWhole), type: type, range: range,
      process: Int32(owner), waits: false)
  }

  /// A table that can be changed within an expectation.
  private final class Held {
    private(set) var table = LockTable()
    var isEmpty: Bool { table.isEmpty }

    func set(_ lock: LockRequest, on node: NodeID) -> Bool { table.set(lock, on: node) }

    func release(_ owner: LockOwner, on node: NodeID) { table.release(owner, on: node) }

    func obstacle(to lock: LockRequest, on node: NodeID) -> LockTable.Held? {
      table.obstacle(to: lock, on: node)
    }
  }

  private static func obstacle(
    _ table: Held, _ owner: UInt64, _ type: Int32, _ range: Range<UInt64>
  ) -> Range<UInt64>? {
    table.obstacle(to: lock(owner, type, range), on: node)?.range
  }

  @Test("shared locks overlap, an exclusive one overlaps with nobody else's, and files are apart")
  func conflicts() {
    let table = Held()
    #expect(table.set(Self.lock(1, F_RDLCK, 0..<10), on: Self.node))
    #expect(table.set(Self.lock(2, F_RDLCK, 5..<20), on: Self.node))
    #expect(!table.set(Self.lock(2, F_WRLCK, 9..<20), on: Self.node))
    #expect(table.set(Self.lock(2, F_WRLCK, 10..<20), on: Self.node), "a part becomes exclusive")
    #expect(!table.set(Self.lock(3, F_RDLCK, 19..<30), on: Self.node))
    #expect(table.set(Self.lock(3, F_RDLCK, 20..<30), on: Self.node))
    #expect(table.set(Self.lock(3, F_WRLCK, 0..<30), on: Self.node + 1))
  }

  @Test("an unlocked middle leaves two locks; locks of one kind that touch are one")
  func ranges() {
    let table = Held()
    #expect(table.set(Self.lock(1, F_WRLCK, 0..<30), on: Self.node))
    #expect(table.set(Self.lock(1, F_UNLCK, 10..<20), on: Self.node))
    #expect(Self.obstacle(table, 2, F_RDLCK, 0..<100) == 0..<10)
    #expect(Self.obstacle(table, 2, F_RDLCK, 10..<20) == nil)
    #expect(Self.obstacle(table, 2, F_RDLCK, 10..<100) == 20..<30)
    #expect(table.set(Self.lock(1, F_WRLCK, 10..<20), on: Self.node))
    #expect(Self.obstacle(table, 2, F_RDLCK, 29..<UInt64.max) == 0..<30)
    #expect(Self.obstacle(table, 1, F_WRLCK, 0..<30) == nil, "nobody is in his own way")
  }

  @Test("flock and fcntl take no notice of one another; a kind that changes may lose its lock")
  func whole() {
    let table = Held()
    #expect(table.set(Self.lock(1, F_WRLCK), on: Self.node))
    #expect(table.set(Self.lock(2, F_RDLCK, isWhole: true), on: Self.node))
    #expect(table.set(Self.lock(3, F_RDLCK, isWhole: true), on: Self.node))
    #expect(!table.set(Self.lock(2, F_WRLCK, isWhole: true), on: Self.node))
    #expect(table.set(Self.lock(3, F_WRLCK, isWhole: true), on: Self.node), "2 gave its own up")
    #expect(table.set(Self.lock(3, F_WRLCK, isWhole: true), on: Self.node), "once more is no loss")
  }

  @Test("a close ends its owner's locks and nobody else's, and the last leaves the table empty")
  func release() {
    let table = Held()
    #expect(table.isEmpty)
    #expect(table.set(Self.lock(1, F_RDLCK, 0..<10), on: Self.node))
    #expect(table.set(Self.lock(2, F_RDLCK, 0..<10), on: Self.node))
    #expect(table.set(Self.lock(1, F_RDLCK, isWhole: true), on: Self.node))
    table.release(LockOwner(id: 1, isWhole: false), on: Self.node)
    #expect(table.obstacle(to: Self.lock(3, F_WRLCK), on: Self.node)?.process == 2)
    #expect(table.obstacle(to: Self.lock(3, F_WRLCK, isWhole: true), on: Self.node)?.process == 1)
    table.release(LockOwner(id: 2, isWhole: false), on: Self.node)
    table.release(LockOwner(id: 1, isWhole: true), on: Self.node)
    #expect(table.isEmpty)
  }
}
