import FaultModel

// libFuzzer over the script parser; it is built with CUSTODY_FUZZ=1 alone (CONTRIBUTING.md).
// What must hold for any bytes: no trap, and an error that stands within the text.

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// SwiftPM renames `main` of an executable to the target's name.
@_cdecl("fuzz_script_main")
func fuzzMain(
  _ argumentCount: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
  var argumentCount = argumentCount
  var arguments = arguments
  return runDriver(&argumentCount, &arguments) { bytes, count in
    parse(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }
}

private func parse(_ text: [UInt8]) {
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
