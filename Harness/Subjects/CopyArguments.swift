import FaultModel
import HarnessKit
import SystemIO
import Wire

/// A task as arguments of the verb `copy`, which custody and the saboteurs share.
struct CopyArguments {
  let list: [[UInt8]]

  init(_ task: SubjectTask) {
    var list: [[UInt8]] = [Array("copy".utf8), task.source.bytes]
    func add(_ option: String, _ value: [UInt8]) { list += [Array(option.utf8), value] }
    for destination in task.destinations { add("--to", destination.path.bytes) }
    add("--mode", Array(task.mode.rawValue.utf8))
    add("--headroom", Array("\(task.headroom)".utf8))
    if let facts = task.factsFile { add("--volume-facts", facts.bytes) }
    list.append(Array("--json".utf8))
    self.list = list + task.extraArguments.map(\.bytes)
  }

  /// Arguments that are no copy.
  init(plain words: [String]) {
    list = words.map { Array($0.utf8) }
  }

  /// The job line of `custody serve` (docs/offload.md).
  func jobLine(_ number: Int, directory: BytePath) -> [UInt8] {
    let isText = list.allSatisfy { String(validating: $0, as: UTF8.self) != nil }
    let arguments: JSON.Member =
      isText
      ? .init("arguments", .array(list.map { .string($0) }))
      : .init("argumentsHex", .array(list.map { .hex($0) }))
    let members = [JSON.Member("job", JSON(number)), arguments]
    return JSON.object(members + [.init("directory", .string(directory.bytes))]).line
  }
}
