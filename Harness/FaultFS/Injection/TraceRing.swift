import FaultModel
import SystemIO

/// The last requests of a case. Text is made only when somebody asks.
struct TraceRing {
  private var entries: [Entry] = []
  private var count = 0
  private var threads: [Int32: Int] = [:]

  static let limit = 20_000

  struct Entry {
    let volume: FaultyVolume
    let address: Address
    let thread: Int32
    let reply: Outcome
    let rules: [Int]

    enum Outcome {
      case ok
      case count(Int)
      case error(Errno)
    }

    init(volume: FaultyVolume, address: Address, thread: Int32, reply: Reply, rules: [Int]) {
      self.volume = volume
      self.address = address
      self.thread = thread
      self.rules = rules
      self.reply =
        switch reply {
        case .error(let error): .error(error)
        case .data(let data): .count(data.count)
        case .written(let count): .count(count)
        case .listing(let entries): .count(entries.count)
        default: .ok
        }
    }
  }

  mutating func add(_ entry: Entry) {
    if threads[entry.thread] == nil { threads[entry.thread] = threads.count + 1 }
    if entries.count < Self.limit {
      entries.append(entry)
    } else {
      entries[count % Self.limit] = entry
    }
    count += 1
  }

  mutating func reset() {
    entries.removeAll(keepingCapacity: true)
    threads = [:]
    count = 0
  }

  var records: [TraceRecord] {
    let first = count - entries.count
    return (first..<count).map { ordinal in
      let entry = entries[ordinal % Self.limit]
      return TraceRecord(
        ordinal: ordinal, volume: entry.volume.name, text: entry.volume.text(of: entry.address),
        thread: threads[entry.thread] ?? 0, result: entry.reply.text, rules: entry.rules)
    }
  }
}

extension TraceRing.Entry.Outcome {
  fileprivate var text: String {
    switch self {
    case .ok: "ok"
    case .count(let count): String(count)
    case .error(let error): error.name ?? String(error.rawValue)
    }
  }
}

extension FaultyVolume {
  /// `write A/<tmp#1> 0+4096`.
  func text(of address: Address) -> String {
    var text = address.operation.rawValue
    if let name = address.name {
      if address.operation == .link, let node = address.node { text += " " + shown(node) }
      text += " " + shown(name)
    } else if let node = address.node {
      text += " " + shown(node)
    }
    if let name = address.newName { text += " " + shown(name) }
    if let range = address.range { text += " \(range.offset)+\(range.count)" }
    return text
  }

  private func shown(_ node: NodeID) -> String {
    if node == MemoryVolume.rootID { return "." }
    let track = located(node)
    guard let path = track.paths.first else { return track.label?.text ?? "?" }
    guard let label = track.label, finalSources(track).isEmpty else { return path.escaped }
    return (path.parent.map { $0.escaped + "/" } ?? "") + label.text
  }

  private func shown(_ name: Address.Name) -> String {
    guard let label = label(name) else { return path(name).escaped }
    let folder = located(name.folder).paths.first ?? ""
    return folder.appending(BytePath(label.text)).escaped
  }
}
