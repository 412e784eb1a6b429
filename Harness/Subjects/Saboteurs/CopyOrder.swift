import FaultModel
import SystemIO
import Wire

/// What the saboteurs' verb `copy` was asked to do.
struct CopyOrder {
  var source: BytePath = ""
  var destinations: [BytePath] = []
  var mode = Mode.standard
  var headroom: UInt64 = 0
  var facts: [(root: BytePath, level: String)] = []

  /// Reads the arguments after `copy`; throws a sentence for a wrong one.
  init(_ arguments: [[UInt8]]) throws(CopyFailure) {
    var rest = arguments[...]
    func value(_ option: String, _ rest: inout ArraySlice<[UInt8]>) throws(CopyFailure) -> [UInt8] {
      guard let value = rest.popFirst() else { throw .usage("\(option) needs a value") }
      return value
    }
    while let word = rest.popFirst() {
      switch String(decoding: word, as: UTF8.self) {
      case "--to": destinations.append(try Self.path(try value("--to", &rest)))
      case "--mode":
        let text = String(decoding: try value("--mode", &rest), as: UTF8.self)
        guard let mode = Mode(rawValue: text) else { throw .usage("unknown mode \(text)") }
        self.mode = mode
      case "--headroom":
        let text = String(decoding: try value("--headroom", &rest), as: UTF8.self)
        guard let bytes = UInt64(text) else { throw .usage("\(text) is no number of bytes") }
        headroom = bytes
      case "--volume-facts": try readFacts(try Self.path(try value("--volume-facts", &rest)))
      case "--json": break
      case let text where text.hasPrefix("-"): throw .usage("unknown option \(text)")
      default: source = try Self.path(word)
      }
    }
    if source.bytes.isEmpty || destinations.isEmpty { throw .usage("a card and --to are needed") }
  }

  private static func path(_ bytes: [UInt8]) throws(CopyFailure) -> BytePath {
    guard let path = BytePath(bytes) else { throw .usage("a path holds a NUL byte") }
    return path
  }

  private mutating func readFacts(_ path: BytePath) throws(CopyFailure) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.contents(of: path, limit: 1 << 20)
    } catch {
      throw .usage("the facts file cannot be read: \(error)")
    }
    for volume in (try? JSON.parse(bytes))?["volumes"]?.array ?? [] {
      guard let root = volume["root"]?.bytes.flatMap({ BytePath($0) }),
        let level = volume["level"]?.text
      else { throw .usage("the facts file has a volume without root or level") }
      facts.append((root, level))
    }
  }

  /// The best read-back level that the facts give for a path; `cached` where they say nothing.
  func level(of path: BytePath) -> String {
    let names = path.components
    return facts.filter { names.starts(with: $0.root.components) }
      .max { $0.root.components.count < $1.root.components.count }?.level ?? "cached"
  }
}

/// Why a saboteur's run or one of its files came to nothing.
enum CopyFailure: Error {
  case usage(String)
  case refused(String)
  case file(String)
}
