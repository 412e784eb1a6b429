import FaultModel
import SystemIO

/// The last requests of a case. Text is made only when somebody asks.
struct TraceRing {
  private var entries: [Entry] = []
  private var count = 0
  private var threads: [Int32: Int] = [:]
  private var lastThread: Int32?

  static let limit = 20_000

  struct Entry {
    let volume: FaultyVolume
    let address: Address
    let thread: Int32
    let reply: Outcome
    let rules: [Int]
    /// The file had no name of its own then.
    let label: Track.Label?

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
      label = address.node.flatMap(volume.temporaryLabel)
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
    if entry.thread != lastThread {
      if threads[entry.thread] == nil { threads[entry.thread] = threads.count + 1 }
      lastThread = entry.thread
    }
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
    lastThread = nil
    count = 0
  }

  var records: [TraceRecord] {
    let first = count - entries.count
    return (first..<count).map { ordinal in
      let entry = entries[ordinal % Self.limit]
      return TraceRecord(
        ordinal: ordinal, volume: entry.volume.name, text: entry.volume.text(of: entry),
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
  func text(of entry: TraceRing.Entry) -> String {
    let address = entry.address
    var text = address.operation.rawValue
    if let name = address.name {
      if address.operation == .link, let node = address.node {
        text += " " + shown(node, entry.label)
      }
      text += " " + shown(name)
    } else if let node = address.node {
      text += " " + shown(node, entry.label)
    }
    if let name = address.newName { text += " " + shown(name) }
    if let range = address.range { text += " \(range.offset)+\(range.count)" }
    return text
  }

  /// The label of a file that has no final name yet.
  func temporaryLabel(_ node: NodeID) -> Track.Label? {
    guard let track = tracks[node], let label = track.label else { return nil }
    return finalSources(located(node)).isEmpty ? label : nil
  }

  private func shown(_ node: NodeID, _ label: Track.Label?) -> String {
    if node == MemoryVolume.rootID { return "." }
    guard let path = located(node).paths.first else { return label?.text ?? "?" }
    guard let label else { return path.escaped }
    return (path.parent.map { $0.escaped + "/" } ?? "") + label.text
  }

  private func shown(_ name: Address.Name) -> String {
    guard let label = label(name) else { return path(name).escaped }
    let folder = located(name.folder).paths.first ?? ""
    return folder.appending(BytePath(label.text)).escaped
  }
}
