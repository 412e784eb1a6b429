import Testing

@testable import Wire

@Suite("JSON: values survive a round trip, bad text is an error")
struct JSONTests {
  @Test(
    "what is written reads back the same",
    arguments: [
      JSON.null, true, false, 0, -1, JSON(Int64.min), JSON(Int64.max), JSON(UInt64.max), 0.5,
      -1.5e300, "", "plain", "tab\t quote\" back\\ nul\0 del\u{7f} \u{2028}\u{2029} é e\u{301} 😀",
      [], [:], [1, [2, []], ["a": nil]], ["z": 1, "a": ["b": "c"], "": nil],
    ])
  func roundTrip(value: JSON) throws {
    for (pretty, sorted) in [(false, false), (true, false), (true, true)] {
      let read = try JSON.parse(value.encoded(pretty: pretty, sorted: sorted))
      if sorted {
        #expect(read.encoded(sorted: true) == value.encoded(sorted: true))
      } else {
        #expect(read == value)
      }
    }
  }

  @Test("a name keeps its bytes: NFC and NFD stay different")
  func normalisation() throws {
    let composed = try JSON.parse("\"\u{e9}\"")
    let decomposed = try JSON.parse("\"e\u{301}\"")
    #expect(composed != decomposed)
    #expect(composed.bytes == [0xc3, 0xa9])
    #expect(decomposed.bytes == [0x65, 0xcc, 0x81])
    #expect(try JSON.parse("{\"\u{e9}\":1,\"e\u{301}\":2}")["e\u{301}"] == 2)
  }

  @Test(
    "bad text is an error at its offset",
    arguments: [
      ("", JSONError.Reason.endsEarly, 0), ("[1", .endsEarly, 2), ("[1,]", .unexpectedByte, 3),
      ("{\"a\" 1}", .unexpectedByte, 5), ("{a:1}", .unexpectedByte, 1), ("1 2", .trailingBytes, 2),
      ("\"a\u{1}\"", .controlInString, 2), ("\"\\x\"", .badEscape, 1),
      ("\"\\u12\"", .badEscape, 1), ("\"\\ud800\"", .loneSurrogate, 1),
      ("\"\\ud800\\u0041\"", .loneSurrogate, 1), ("\"\\udc00\"", .loneSurrogate, 1),
      ("01", .badNumber, 0), ("-", .endsEarly, 1), ("1.", .endsEarly, 2), ("1.x", .badNumber, 0),
      ("1e", .endsEarly, 2), (".5", .unexpectedByte, 0), ("+1", .unexpectedByte, 0),
      ("18446744073709551616", .numberOutOfRange, 0), ("1e400", .numberOutOfRange, 0),
      ("{\"a\":1,\"a\":2}", .duplicateKey, 7), ("tru", .endsEarly, 3), ("nulL", .unexpectedByte, 3),
      ("NaN", .unexpectedByte, 0),
    ])
  func badText(text: String, reason: JSONError.Reason, offset: Int) {
    #expect(throws: JSONError(reason, offset: offset)) { try JSON.parse(text) }
  }

  @Test("bytes that are no UTF-8 are an error", arguments: [[0xff], [0xc3], [0xed, 0xa0, 0x80]])
  func invalidUTF8(bytes: [UInt8]) {
    #expect(throws: JSONError(.invalidUTF8, offset: 0)) { try JSON.parse([0x22] + bytes + [0x22]) }
  }

  @Test("a depth bomb and a long text stop at the limit")
  func limits() {
    let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect(throws: JSONError(.tooDeep, offset: 64)) { try JSON.parse(bomb) }
    #expect(throws: JSONError(.tooLong, offset: 10)) {
      try JSON.parse(bomb, limits: JSON.Limits(byteCount: 10))
    }
  }

  @Test("escapes resolve to their characters")
  func escapes() throws {
    #expect(try JSON.parse("\"\\u00e9\\ud83d\\ude00\\/\\b\\f\"") == "é😀/\u{8}\u{c}")
  }

  @Test("a line holds no line feed but its last byte")
  func lines() {
    let line = JSON.object([.init("a\nb", "c\u{2028}\n")]).line
    #expect(line.last == 0x0a)
    #expect(line.filter { $0 == 0x0a }.count == 1)
    #expect(!String(decoding: line, as: UTF8.self).contains("\u{2028}"))
  }

  @Test("what JSON cannot hold is replaced, so that the text stays readable")
  func unrepresentable() throws {
    #expect(try JSON.parse(JSON.string([0x61, 0xff]).encoded()) == "a\u{fffd}")
    #expect(JSON.number(.nan).encoded() == Array("null".utf8))
  }

  @Test("hexadecimal digits carry any bytes")
  func hex() throws {
    #expect(JSON.hex([0x00, 0xff, 0x1a]) == "00ff1a")
    #expect(JSON.hex([0x00, 0xff, 0x1a]).hexBytes == [0x00, 0xff, 0x1a])
    #expect(JSON.text("0g").hexBytes == nil)
    #expect(JSON.text("0").hexBytes == nil)
  }

  @Test("damaged text never traps, and what is still read writes and reads the same")
  func damagedText() throws {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &random)
    var generator = Generator(state: seed)
    let sample = Array(
      #"{"job":1,"a":["x\u00e9\ud83d\ude00",-1.5e3,18446744073709551615,true,null],"b":{"":[]}}"#
        .utf8)
    for round in 0..<3_000 {
      var bytes = sample
      for _ in 0...Int(generator.next() % 4) {
        if bytes.isEmpty { break }
        let index = Int(generator.next() % UInt64(bytes.count))
        switch generator.next() % 4 {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: generator.next())
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(bytes[Int(generator.next() % UInt64(bytes.count))], at: index)
        default: bytes = Array(bytes[..<max(1, index)])
        }
      }
      guard let value = try? JSON.parse(bytes) else { continue }
      #expect(try JSON.parse(value.encoded()) == value, "seed \(seed), round \(round)")
    }
  }
}

/// SplitMix64: a few lines, so that a failing seed can be run again.
private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
