import FaultModel
import Wire

// libFuzzer over the readers of scripts, card tables and JSON; it is built with CUSTODY_FUZZ=1 alone (CONTRIBUTING.md).
// What must hold for any bytes: no trap, an error that stands within the text, and JSON that is
// written and read again is the same.

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM renames `main` of an executable to the target's name.
@_cdecl("fuzz_parsers_main")
func fuzzMain(
  _ argumentCount: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
  var argumentCount = argumentCount
  var arguments = arguments
  return runDriver(&argumentCount, &arguments) { bytes, count in
    let text = Array(UnsafeBufferPointer(start: bytes, count: count))
    parseScript(text)
    parseJSON(text)
    return 0
  }
}

private func parseScript(_ text: [UInt8]) {
  do {
    _ = try ScriptParser.parse(text, name: "fuzz")
  } catch {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    precondition((1...lines.count).contains(error.line), "an error beyond the last line")
    precondition(error.column >= 1, "an error before its line")
    precondition(error.column <= lines[error.line - 1].count + 1, "an error behind its line")
    precondition(!error.description.isEmpty, "an error without a text")
  }
  _ = try? CardLayout(text: text, name: "fuzz")
}

private func parseJSON(_ text: [UInt8]) {
  do {
    let value = try JSON.parse(text)
    precondition((try? JSON.parse(value.encoded())) == value, "another value after a round trip")
  } catch {
    precondition((0...text.count).contains(error.offset), "an error outside the text")
  }
}
