import FaultModel
import SystemIO
import Testing

@testable import Oracles

@Suite struct StatusMarkerTests {
  static let id = "0123456789abcdef0123456789abcdef"
  static let name = BytePath(".custody-status-" + id)

  static let whole =
    #"{"custodyStatus":1,"name":"a","nameHex":"61","state":"writing","bytes":1,"run":"r","#
    + #""created":"t"}"#

  @Test("the sample that the broken ones are made of is a valid marker")
  func sample() {
    #expect(StatusMarker(name: Self.name, entry: .marker(for: "", fields: Self.whole)) != nil)
  }

  @Test("offload decision 15: a marker names the file beside it")
  func valid() {
    let marker = StatusMarker(name: Self.name, entry: .marker(for: "C0001.MP4"))
    #expect(marker?.name == "C0001.MP4")
    #expect(marker?.byteCount == 100)
    var tree = TreeSnapshot()
    tree.entries[BytePath("CLIP/.custody-status-" + Self.id)] = .marker(for: "C0001.MP4")
    #expect(StatusMarker.covered(in: tree).keys.first == "CLIP/C0001.MP4")
  }

  @Test("a name that is not UTF-8 is covered by its hexadecimal form")
  func rawName() {
    let text =
      #"{"custodyStatus":1,"name":"a\ufffd","nameHex":"61ff","state":"writing","bytes":1,"#
      + #""run":"r","created":"t"}"#
    let marker = StatusMarker(name: Self.name, entry: .marker(for: "", fields: text))
    #expect(marker?.name.bytes == [0x61, 0xff])
  }

  @Test(
    "a marker that is not whole and true to its format covers nothing",
    arguments: [
      whole.replacing("\"custodyStatus\":1", with: "\"custodyStatus\":2"),
      whole.replacing("\"name\":\"a\"", with: "\"name\":\"b\""),
      whole.replacing("writing", with: "done"),
      whole.replacing("\"bytes\":1", with: "\"bytes\":-1"),
      whole.replacing("\"run\":\"r\",", with: ""),
      whole.replacing("\"created\"", with: "\"made\""),
      whole.replacing("\"61\"", with: "\"612f62\""),
      whole.replacing("\"61\"", with: "\"6\""),
      String(whole.dropLast(3)), "", "null", "[]",
    ])
  func invalid(text: String) {
    #expect(StatusMarker(name: Self.name, entry: .marker(for: "", fields: text)) == nil)
  }

  @Test(
    "a marker's name is .custody-status- and 32 hexadecimal digits",
    arguments: [
      ".custody-status-", ".custody-status-0123", ".custody-status-" + id + "0",
      ".custody-status-0123456789ABCDEF0123456789ABCDEF", "custody-status-" + id,
    ])
  func names(name: String) {
    #expect(StatusMarker(name: BytePath(name), entry: .marker(for: "a")) == nil)
  }

  @Test("a marker whose bytes the snapshot does not carry covers nothing")
  func cut() {
    var entry = TreeEntry.marker(for: "a")
    entry.byteCount += 1
    #expect(StatusMarker(name: Self.name, entry: entry) == nil)
  }
}
