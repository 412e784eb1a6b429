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
    Signal.ignore(.pipe)
    do throws(SystemError) {
      let stop = StopWord(try SignalQueue([.terminate]))
      if rest.first.map({ String(decoding: $0, as: UTF8.self) }) == "serve" {
        return serve(saboteur, stop)
      }
      return job(saboteur, rest, stop) { event in write(event) }
    } catch {
      return complain("\(error)")
    }
  }

  private static func job(
    _ saboteur: Saboteur, _ arguments: [[UInt8]], _ stop: StopWord,
    _ emit: @escaping (JSON) -> Bool
  ) -> Int32 {
    switch arguments.first.map({ String(decoding: $0, as: UTF8.self) }) {
    case "copy":
      do throws(CopyFailure) {
        let order = try CopyOrder(Array(arguments.dropFirst()))
        return NaiveCopier(order, defect: saboteur.defect, stop: stop, emit: emit).run()
      } catch {
        return complain("\(error)")
      }
    case "--version": return 0
    default: return complain("no such verb")
    }
  }

  /// Takes jobs as `custody serve` does, until its input ends.
  private static func serve(_ saboteur: Saboteur, _ stop: StopWord) -> Int32 {
    var reader = LineReader(FileDescriptor(unowned: STDIN_FILENO))
    while let line = try? reader.next() {
      guard let order = try? JSON.parse(line), let number = order["job"]?.int else {
        return complain("no job: \(String(decoding: line, as: UTF8.self))")
      }
      let texts = order["arguments"]?.array?.compactMap(\.bytes)
      let arguments = texts ?? order["argumentsHex"]?.array?.compactMap(\.hexBytes) ?? []
      func emit(_ event: JSON) -> Bool {
        write(.object([.init("job", JSON(number))] + (event.object ?? [])))
      }
      let code = job(saboteur, arguments, stop, emit)
      if !emit(["event": "exit", "exit": JSON(code)]) { return 1 }
    }
    return 0
  }

  /// False when nobody reads any more.
  private static func write(_ event: JSON) -> Bool {
    do throws(SystemError) {
      try FileDescriptor(unowned: STDOUT_FILENO).writeAll(event.line)
      return true
    } catch {
      return false
    }
  }

  private static func complain(_ text: String) -> Int32 {
    try? FileDescriptor(unowned: STDERR_FILENO).writeAll(Array("saboteur: \(text)\n".utf8))
    return 2
  }
}
