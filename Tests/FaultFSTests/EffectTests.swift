import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

/// One file copied under one rule: what the engine of the scene sees, and how often it fired.
struct EffectRow: CustomTestStringConvertible, Sendable {
  let rule: String
  let path: String
  /// The honest engine noticed, since a call failed or the read-back differed.
  let isNoticed: Bool
  let fired: Int
  var persona = "posix-strict"

  var testDescription: String { rule }

  init(_ rule: String, _ path: String, noticed: Bool, fired: Int, persona: String = "posix-strict")
  {
    self.rule = rule
    self.path = path
    isNoticed = noticed
    self.fired = fired
    self.persona = persona
  }
}

@Suite("Effects")
struct EffectTests {
  static let table: [EffectRow] = [
    EffectRow("fail write dst:~a with EIO", "a", noticed: true, fired: 1),
    EffectRow("fail write dst:~b with EIO", "a", noticed: false, fired: 0),
    EffectRow("fail write dst:~b nth 2 with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:~b nth 4 with EIO", "b", noticed: false, fired: 0),
    EffectRow("fail write dst:~b every 3 with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:~b from 2MiB with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:~b from 1500000 with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:~b from 4MiB with EIO", "b", noticed: false, fired: 0),
    EffectRow("fail write dst:~b range 2500000+1 with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:~b after 2MiB with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:** after 2MiB with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:** after 4MiB with EIO", "b", noticed: false, fired: 0),
    EffectRow("fail write dst:~b at 60% with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:~b chance 1 with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:~b by reader with EIO", "b", noticed: false, fired: 0),
    EffectRow("fail write dst:~b by writer with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:~b by handle 2 with EIO", "b", noticed: false, fired: 0),
    EffectRow("fail read dst:~b by handle 2 with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail create dst:<tmp#1> with EIO", "a", noticed: true, fired: 1),
    EffectRow("fail create dst:<tmp#2> with EIO", "a", noticed: false, fired: 0),
    EffectRow("fail open src:a with EACCES", "a", noticed: true, fired: 1),
    EffectRow("fail open src:* with EACCES", "a", noticed: true, fired: 1),
    EffectRow("fail open src:D/* with EACCES", "a", noticed: false, fired: 0),
    EffectRow("fail fsync dst:~a with EIO", "a", noticed: true, fired: 1),
    EffectRow("fail close dst:~a with EDQUOT", "a", noticed: true, fired: 1),
    EffectRow("fail close dst:~a by reader with EIO", "a", noticed: false, fired: 1),
    EffectRow("fail rename dst:~a with EPERM", "a", noticed: true, fired: 1),
    EffectRow("fail rename dst:a as new with EPERM", "a", noticed: true, fired: 1),
    EffectRow("fail rename dst:a as old with EPERM", "a", noticed: false, fired: 0),
    EffectRow("fail rename dst:<tmp#1> as old with EPERM", "a", noticed: true, fired: 1),
    EffectRow("fail mkdir dst:D with ENOSPC", "D/c", noticed: true, fired: 1),
    EffectRow("fail fsyncdir dst:D with EIO", "D/c", noticed: true, fired: 1),
    EffectRow("fail fsyncdir dst:D with EIO", "a", noticed: false, fired: 0),
    EffectRow("fail write dst:** after first-data with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail read dst:~b before readback of dst:~b with EIO", "b", noticed: true, fired: 1),
    EffectRow("fail write dst:~b after synced of dst:~b with EIO", "b", noticed: false, fired: 0),
    EffectRow(
      "fail read dst:~b between synced of dst:~b and named of dst:~b with EIO", "b",
      noticed: true, fired: 1),
    EffectRow("short write dst:~b bytes 4095 always", "a", noticed: false, fired: 0),
    EffectRow("short write dst:~b bytes 300000 always", "b", noticed: false, fired: 10),
    EffectRow("short read src:b bytes 700000", "b", noticed: false, fired: 1),
    EffectRow("short read src:a bytes 5000 always", "a", noticed: false, fired: 0),
    EffectRow("short read dst:~b from 2MiB bytes 0 always", "b", noticed: true, fired: 1),
    EffectRow("torn write dst:~b from 1MiB bytes 512", "b", noticed: true, fired: 1),
    EffectRow("torn write dst:~a bytes 5000", "a", noticed: false, fired: 0),
    EffectRow("corrupt write dst:~b range 1234567+1 as flip", "b", noticed: true, fired: 1),
    EffectRow("corrupt write dst:~b range 1234567+100 as zeros", "b", noticed: true, fired: 1),
    EffectRow("corrupt write dst:~b range 4MiB+100 as junk", "b", noticed: false, fired: 0),
    EffectRow("corrupt write dst:~b from 3MiB as zeros", "b", noticed: false, fired: 0),
    EffectRow("corrupt write dst:~b range 0+8KiB as swapped", "b", noticed: true, fired: 1),
    EffectRow("corrupt write dst:~b range 0+1 as swapped", "b", noticed: false, fired: 0),
    EffectRow("corrupt read dst:~b range 1MiB+1", "b", noticed: true, fired: 1),
    EffectRow("corrupt read dst:~b range 1MiB+1 pass 1", "b", noticed: true, fired: 1),
    EffectRow("corrupt read dst:~b range 1MiB+1 pass 2", "b", noticed: false, fired: 0),
    EffectRow("corrupt read dst:~b range 1MiB+1 after eviction", "b", noticed: true, fired: 1),
    EffectRow("drop write dst:~b from 2MiB always", "b", noticed: true, fired: 1),
    EffectRow("drop fsync dst:~b", "b", noticed: false, fired: 1),
    EffectRow("drop fsyncdir dst:**", "b", noticed: false, fired: 1),
    EffectRow("drop rename dst:~b", "b", noticed: false, fired: 1),
    EffectRow("lose write dst:~b from 1MiB always", "b", noticed: false, fired: 2),
    EffectRow("misdirect write dst:~b from 1MiB to 0", "b", noticed: true, fired: 1),
    EffectRow("misdirect write dst:~b from 1MiB to 1MiB once", "b", noticed: true, fired: 1),
    EffectRow("full dst", "a", noticed: true, fired: 1),
    EffectRow("full dst before synced of dst:~a", "a", noticed: false, fired: 1),
    EffectRow("full dst after 2MiB", "b", noticed: true, fired: 1),
    EffectRow("readonly dst after first-data of dst:~b", "b", noticed: true, fired: 1),
    EffectRow("readonly dst after write nth 3", "b", noticed: true, fired: 1),
    EffectRow("eject dst at 30%", "b", noticed: true, fired: 1),
    EffectRow("eject src at 30%", "b", noticed: true, fired: 1),
    EffectRow("eject dst before synced of dst:~a", "a", noticed: true, fired: 1),
    EffectRow(
      "swap inode dst:~a after first-data of dst:~a bytes different", "a", noticed: true, fired: 1),
    EffectRow("change src:b append 10 at 20%", "b", noticed: false, fired: 1),
    EffectRow("change src:b write 0+8KiB at 20%", "b", noticed: false, fired: 1),
    EffectRow("stop subject for 5s at 20%", "b", noticed: false, fired: 1),
    EffectRow("limit subject descriptors 16", "a", noticed: false, fired: 1),
    EffectRow("limit subject memory 1000000 at 20%", "b", noticed: false, fired: 1),
    EffectRow("limit subject stdout 0", "a", noticed: false, fired: 1),
    EffectRow("clock dst +60m at 20%", "b", noticed: false, fired: 1),
    EffectRow("stale read dst:~b range 1MiB+4KiB", "b", noticed: true, fired: 1),
    EffectRow("stale read dst:~b range 4MiB+4KiB", "b", noticed: false, fired: 0),
    EffectRow("kill subject at 20%", "b", noticed: false, fired: 1),
    EffectRow("kill subject before synced of dst:~a", "a", noticed: true, fired: 1),
    EffectRow("terminate subject after published of dst:~b", "b", noticed: false, fired: 1),
    EffectRow("terminate subject after published of dst:~a", "b", noticed: false, fired: 0),
  ]

  @Test("Each rule does what it says, and fires as often as it took hold", arguments: table)
  func row(_ row: EffectRow) throws {
    let scene = try Scene(row.rule, persona: row.persona)
    #expect(scene.copy(BytePath(row.path)) != row.isNoticed, "noticed")
    #expect(scene.fired == row.fired, "fired \(scene.injector.trace.map(\.text))")
  }

  @Test("A write that fails from an offset on is cut there and then fails")
  func failFrom() throws {
    let scene = try Scene("fail write dst:~b from 1500000 with EIO")
    let data = scene.planned("b")
    let file = try #require(scene.destination.create("x"))
    #expect(scene.destination.write(file, Array(data[..<(1 << 20)]), at: 0) == .count(1 << 20))
    #expect(
      scene.destination.write(file, Array(data[(1 << 20)...]), at: 1 << 20)
        == .count(1_500_000 - (1 << 20)))
    #expect(scene.fired == 0)
    #expect(
      scene.destination.write(file, Array(data[1_500_000...]), at: 1_500_000)
        == .failed(.inputOutput))
    #expect(scene.fired == 1)
    #expect(
      scene.destination.write(file, Array(data[1_500_000...]), at: 1_500_000)
        == .count(data.count - 1_500_000))
  }

  @Test(
    "An error in the middle of one large call is seen by the call that goes on, and counts once")
  func swallowed() throws {
    let scene = try Scene("fail write dst:~b from 2MiB with EIO")
    let data = scene.planned("b")
    let file = try #require(scene.destination.create("x"))
    let piece = { (index: Int) in Array(data[index << 20..<(index + 1) << 20]) }
    let write = { (index: Int) in
      scene.destination.write(file, piece(index), at: UInt64(index << 20))
    }
    #expect(write(0) == .count(1 << 20) && write(1) == .count(1 << 20))
    #expect(write(2) == .failed(.inputOutput), "the kernel turns this into a count of 2 MiB")
    #expect(write(2) == .failed(.inputOutput), "the subject sees this one")
    #expect(write(2) == .count(1 << 20))
    #expect(scene.fired == 1)
    // After a short request the next one is a call of its own, whose error is seen.
    let other = try Scene("fail write dst:~b from 1000 with EIO")
    let second = try #require(other.destination.create("x"))
    #expect(other.destination.write(second, piece(0), at: 0) == .count(1000))
    #expect(other.destination.write(second, [1], at: 1000) == .failed(.inputOutput))
    #expect(other.destination.write(second, [1], at: 1000) == .count(1))
  }

  @Test("Without a word of repetition each file is struck once; once and times count for the case")
  func repetition() throws {
    let each = try Scene("fail fsync dst:** with EIO")
    #expect(!each.copy("a") && !each.copy("b"))
    #expect(each.fired == 2)
    let once = try Scene("fail fsync dst:** with EIO once")
    #expect(!once.copy("a"))
    #expect(once.copy("b"))
    #expect(once.fired == 1)
    let twice = try Scene("fail fsync dst:** with EIO times 2")
    #expect(!twice.copy("a") && !twice.copy("b"))
    #expect(twice.copy("D/c"))
    let always = try Scene("fail fsync dst:~a with EIO always")
    let file = try #require(always.destination.create("a"))
    #expect((0..<3).allSatisfy { _ in always.destination.fsync(file) == .inputOutput })
    #expect(always.fired == 3)
  }

  @Test("Performed: it happened, and the answer is an error")
  func performed() throws {
    let scene = try Scene("fail create dst:<tmp#1> with EIO performed")
    #expect(scene.destination.create(".custody.tmp.1") == nil)
    #expect(scene.destination.node(".custody.tmp.1") != nil)
    #expect(scene.fired == 1)
    let sync = try Scene("fail fsync dst:~a with EIO performed", persona: "exfat-linux")
    #expect(!sync.copy("a"))
    let file = try #require(sync.destination.node(".custody.tmp.a"))
    #expect(sync.destination.attributes(file)?.byteCount == 5000)
    #expect(sync.destination.fsyncFolder("") == nil)
    #expect(sync.durable()[".custody.tmp.a"]?.digest == sync.digest(sync.planned("a")))
  }

  @Test("Forgetting: after the error the next fsync says success, and the bytes never last")
  func forgetting() throws {
    let scene = try Scene("fail fsync dst:~b with EIO forgetting")
    let file = try #require(scene.destination.create("b"))
    #expect(scene.destination.writeAll(file, scene.planned("b")))
    #expect(scene.destination.fsync(file) == .inputOutput)
    #expect(scene.destination.fsync(file) == nil)
    #expect(scene.volatile()["b"]?.digest == scene.digest(scene.planned("b")))
    #expect(scene.durable()["b"]?.digest != scene.digest(scene.planned("b")))
    #expect(scene.durable()["b"]?.byteCount == UInt64(3 << 20))
    // What is written again is not forgotten.
    #expect(scene.destination.writeAll(file, scene.planned("b")))
    #expect(scene.destination.fsync(file) == nil)
    #expect(scene.durable()["b"]?.digest == scene.digest(scene.planned("b")))
  }

  @Test("Forgetting a folder: its names never last")
  func forgettingFolder() throws {
    let scene = try Scene("fail fsyncdir dst:D with EIO forgetting", persona: "exfat-linux")
    #expect(!scene.copy("D/c"))
    #expect(scene.destination.fsyncFolder("D") == nil)
    #expect(scene.destination.fsyncFolder("") == nil)
    #expect(scene.volatile()["D/c"] != nil)
    #expect(scene.durable()["D"] != nil)
    #expect(scene.durable()["D/c"] == nil)
  }

  @Test("Losing the last bytes: they are gone from both layers")
  func losing() throws {
    let scene = try Scene("fail close dst:~b by writer with EDQUOT losing last 4KiB")
    #expect(!scene.copy("b"))
    #expect(scene.fired == 1)
    #expect(scene.volatile()[".custody.tmp.b"]?.byteCount == UInt64(3 << 20) - 4096)
    #expect(scene.durable()[".custody.tmp.b"]?.byteCount == UInt64(3 << 20) - 4096)
  }

  @Test("A dropped fsync leaves the durable layer as it was; a lost write never gets there")
  func dropAndLose() throws {
    let dropped = try Scene("drop fsync dst:~b always\ndrop fsyncdir dst:** always")
    #expect(dropped.copy("b"))
    #expect(dropped.durable()["b"] == nil)
    let lost = try Scene("lose write dst:~b range 1MiB+4KiB")
    #expect(lost.copy("b"))
    #expect(lost.volatile()["b"]?.digest == lost.digest(lost.planned("b")))
    var expected = lost.planned("b")
    expected.replaceSubrange((1 << 20)..<(1 << 20) + 4096, with: repeatElement(0, count: 4096))
    #expect(lost.durable()["b"]?.digest == lost.digest(expected))
    let name = try Scene("lose rename dst:~b")
    #expect(name.copy("b"))
    #expect(name.volatile()["b"] != nil)
    #expect(name.durable()["b"] == nil)
  }

  @Test("A misdirected write lands in the other file and is an act of the rig")
  func misdirect() throws {
    let scene = try Scene(
      "given dst \"old.mov\" bytes 2MiB\nmisdirect write dst:~b from 1MiB to dst:old.mov once")
    #expect(!scene.copy("b"))
    #expect(scene.fired == 1)
    let old = try #require(scene.destination.readAll("old.mov"))
    #expect(Array(old[(1 << 20)...]) == Array(scene.planned("b")[(1 << 20)..<(2 << 20)]))
    #expect(scene.injector.acts == [RigAct(kind: .misdirected, volume: "dst", path: "old.mov")])
  }

  @Test("Delay and hang hold the request, and then it is carried out")
  func hold() throws {
    for word in ["delay", "hang"] {
      let scene = try Scene("\(word) write dst:~a for 20ms")
      let file = try #require(scene.destination.create("x"))
      let data = scene.planned("a")
      let answer = data.withUnsafeBytes { bytes in
        let call = Request.Call.write(file.node, file.handle, offset: 0, data: bytes)
        let request = Request(unique: 77, thread: 1, call: call)
        let volume = scene.destination.served
        guard case .hold(let until) = volume.serve(request) else { return -1 }
        #expect(until > .now)
        #expect(scene.destination.attributes(file.node)?.byteCount == 0)
        guard case .reply(.written(let count)) = volume.serve(request) else { return -2 }
        return count
      }
      #expect(answer == 5000)
      #expect(scene.fired == 1)
    }
  }

  @Test("A swapped inode takes the name with size and times; the open file is another")
  func swap() throws {
    for bytes in ["same", "different"] {
      let scene = try Scene("swap inode dst:~a after published of dst:~a bytes \(bytes)")
      #expect(scene.copy("a", verifies: false))
      let node = try #require(scene.destination.node("a"))
      #expect(scene.destination.attributes(node)?.byteCount == 5000)
      let isSame = scene.destination.readAll("a") == scene.planned("a")
      #expect(isSame == (bytes == "same"))
      #expect(scene.injector.acts == [RigAct(kind: .swapped, volume: "dst", path: "a")])
      #expect(scene.durable()["a"]?.byteCount == 5000)
    }
  }

  @Test("Disarming ends every effect: full and read-only too")
  func disarm() throws {
    let scene = try Scene("full dst\nfail fsync dst:** with EIO always")
    #expect(!scene.copy("a"))
    scene.injector.disarm()
    #expect(scene.copy("b"))
    #expect(scene.fired(0) == 1)
  }

  @Test("An ejected volume answers nothing, loses what was not durable, and comes back")
  func eject() throws {
    let scene = try Scene(
      "eject dst after published of dst:~b\ninsert dst before scan of src:nothing maybe")
    #expect(scene.copy("a"))
    #expect(scene.copy("b", verifies: true) == false)
    #expect(scene.host.log == ["eject dst"])
    #expect(scene.destination.node("a") == nil)
    scene.host.insert(volume: "dst", other: nil)
    scene.host.performActs()
    #expect(scene.destination.readAll("a") == scene.planned("a"))
    #expect(scene.injector.acts.map(\.kind) == [.ejected])
  }

  @Test("A fully written file whose name was never synced is gone with the medium")
  func ejectLosesNames() throws {
    let scene = try Scene("eject dst after rename", persona: "exfat-linux")
    #expect(!scene.copy("a"))
    scene.host.insert(volume: "dst", other: nil)
    scene.host.performActs()
    #expect(scene.destination.list() == [])
  }
}
