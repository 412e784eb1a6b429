import Glibc
import SystemIO
import Wire

/// The hidden verb `harness saboteur NAME (copy ... | serve | --version)`.
public enum SaboteurMain {
  /// Runs the verb and returns the exit code; 2 for a name or verb that it does not know.
  public static func run(_ arguments: [[UInt8]]) -> Int32 {
    guard let name = arguments.first,
      let saboteur = Saboteur.named(String(decoding: name, as: UTF8.self))
    else { return complain("no such saboteur") }
    let rest = Array(arguments.dropFirst())
    if rest.first.map({ String(decoding: $0, as: UTF8.self) }) == "serve" {
      return serve(saboteur)
    }
    return job(saboteur, rest) { event in write(event) }
  }

  private static func job(
    _ saboteur: Saboteur, _ arguments: [[UInt8]], _ emit: @escaping (JSON) -> Void
  ) -> Int32 {
    switch arguments.first.map({ String(decoding: $0, as: UTF8.self) }) {
    case "copy":
      do throws(CopyFailure) {
        let order = try CopyOrder(Array(arguments.dropFirst()))
        return NaiveCopier(order, defect: saboteur.defect, emit: emit).run()
      } catch {
        return complain("\(error)")
      }
    case "--version": return 0
    default: return complain("no such verb")
    }
  }

  /// Takes jobs as `custody serve` does, until its input ends.
  private static func serve(_ saboteur: Saboteur) -> Int32 {
    var reader = LineReader(FileDescriptor(unowned: STDIN_FILENO))
    while let line = try? reader.next() {
      guard let order = try? JSON.parse(line), let number = order["job"]?.int else {
        return complain("no job: \(String(decoding: line, as: UTF8.self))")
      }
      let texts = order["arguments"]?.array?.compactMap(\.bytes)
      let arguments = texts ?? order["argumentsHex"]?.array?.compactMap(\.hexBytes) ?? []
      func emit(_ event: JSON) {
        guard let members = event.object else { return }
        write(.object([.init("job", JSON(number))] + members))
      }
      let code = job(saboteur, arguments, emit)
      emit(["event": "exit", "exit": JSON(code)])
    }
    return 0
  }

  private static func write(_ event: JSON) {
    // A reader that has gone needs no events.
    try? FileDescriptor(unowned: STDOUT_FILENO).writeAll(event.line)
  }

  private static func complain(_ text: String) -> Int32 {
    try? FileDescriptor(unowned: STDERR_FILENO).writeAll(Array("saboteur: \(text)\n".utf8))
    return 2
  }
}
