import Glibc
import SystemIO
import Testing
import Wire

@testable import CommandLineKit

@Suite("Text for people: help, quantities, names, tables")
struct TextTests {
  private let command = Command(
    "copy", "copies a card to one or more folders and proves that every byte arrived",
    details: "The first paragraph of the details, long enough that it must be wrapped somewhere.",
    parameters: [
      Parameter.positional("CARD", .path, "the card's root folder").row,
      Parameter.option("--to", "FOLDER", .path, required: true, repeats: true, "a copy").row,
      Parameter.option(
        "--a-very-long-option-name", "FOLDER", .path,
        "an explanation that is too long for one line of a narrow terminal, by far"
      ).row,
    ],
    examples: [.init("custody copy /media/card --to /mnt/a", "Copies the card.")],
    exitCodes: [.init("0", "all verified"), .init("130, 143", "interrupted; a report is written")])

  @Test("help keeps to the width", arguments: [60, 80, 100])
  func width(columns: Int) {
    let program = Program("custody", "moves files", version: "1", commands: [command])
    for text in [program.help(columns: columns), program.help(of: command, columns: columns)] {
      for line in text.split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
    }
  }

  @Test("help reads as expected")
  func golden() {
    let program = Program("custody", "moves files", version: "1", commands: [command])
    #expect(
      program.help(of: command, columns: 60) == """
        custody copy: copies a card to one or more folders and
        proves that every byte arrived

        Usage: custody copy CARD --to FOLDER ... [options]

        The first paragraph of the details, long enough that it must
        be wrapped somewhere.

        Arguments:
          CARD  the card's root folder

        Options:
          --to FOLDER           a copy
          --a-very-long-option-name FOLDER
                                an explanation that is too long for
                                one line of a narrow terminal, by
                                far
          --help                this text

        Exit codes:
          0         all verified
          130, 143  interrupted; a report is written

        Examples:
          custody copy /media/card --to /mnt/a
              Copies the card.

        """)
  }

  @Test(
    "sizes are read exactly and never overflow",
    arguments: [
      ("0", 0), ("512", 512), ("512B", 512), ("4KiB", 4096), ("3MiB", 3 << 20), ("2GiB", 2 << 30),
      ("17179869183GiB", 17_179_869_183 << 30), ("18446744073709551615", UInt64.max),
      ("17179869184GiB", nil), ("18446744073709551616", nil), ("", nil), ("KiB", nil),
      ("1kib", nil),
      ("1 KiB", nil), ("+1", nil), ("1.5GiB", nil), ("١", nil), ("1TiB", nil),
    ] as [(String, UInt64?)])
  func sizes(text: String, bytes: UInt64?) {
    #expect(ByteCount.parse(text) == bytes)
  }

  @Test(
    "times are read exactly and never overflow",
    arguments: [
      ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("10m", .seconds(600)),
      ("2h", .seconds(7200)), ("0s", .zero), ("5", nil), ("s", nil), ("1d", nil), ("-1s", nil),
      ("18446744073709551615h", nil), ("9999999999h", nil),
    ] as [(String, Duration?)])
  func times(text: String, duration: Duration?) {
    #expect(TimeSpan.parse(text) == duration)
  }

  @Test(
    "a size for people is short and never says more than there is",
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (10_239, "9.9 KiB"),
      (1_048_575, "1023 KiB"), (5 << 30, "5 GiB"), (UInt64.max, "17179869183 GiB"),
    ] as [(UInt64, String)])
  func sizeTexts(bytes: UInt64, text: String) {
    #expect(ByteCount.text(bytes) == text)
  }

  @Test(
    "a time for people is short",
    arguments: [
      (.milliseconds(480), "480 ms"), (.seconds(59), "59 s"), (.seconds(200), "3 min 20 s"),
      (.seconds(240), "4 min"), (.seconds(7_500), "2 h 5 min"), (.seconds(7_200), "2 h"),
      (.zero, "0 ms"), (.milliseconds(-5), "0 ms"),
    ] as [(Duration, String)])
  func timeTexts(duration: Duration, text: String) {
    #expect(TimeSpan.text(duration) == text)
  }

  @Test("near names are near: two edits, a swap is one, a beginning is")
  func nearNames() {
    let verbs = ["copy", "compare", "serve", "fault", "gate", "replay"]
    #expect(NearNames.of("copi", among: verbs) == ["copy"])
    #expect(NearNames.of("comp", among: verbs) == ["compare", "copy"])
    #expect(NearNames.of("fautl", among: verbs) == ["fault"])
    #expect(NearNames.of("gti", among: ["git"]) == ["git"])
    #expect(NearNames.of("gxx", among: ["git"]) == [])
    #expect(NearNames.of("xx", among: verbs) == [])
    #expect(NearNames.of(String(repeating: "a", count: 100_000), among: verbs) == [])
  }

  @Test("a table's columns stand under each other")
  func table() {
    var table = TextTable(header: ["name", "files"], alignments: [.left, .right])
    table.add(["a", "12"])
    table.add(["longer", "3", "note"])
    table.add(["b"])
    #expect(table.lines == ["name    files", "a          12", "longer      3  note", "b"])
  }
}
