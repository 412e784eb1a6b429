import FaultFS
import FaultModel
import SystemIO

/// What is compared: a plain file system in C, and a rig's volumes. All are mounted at once, so
/// that one is measured right after the other.
final class MountContenders {
  /// The order of the first round.
  enum Name: String, CaseIterable {
    case twin, backed, memory
  }

  private let harness: BytePath
  private var twin: ChildProcess
  private let rig: RigClient
  private let places: [Name: BytePath]

  private init(
    harness: BytePath, twin: consuming ChildProcess, rig: RigClient, places: [Name: BytePath]
  ) {
    self.harness = harness
    self.twin = twin
    self.rig = rig
    self.places = places
  }

  /// Mounts all.
  ///
  /// - Parameter folder: an empty folder on a tmpfs.
  static func start(
    harness: BytePath, in folder: BytePath, policy: CachePolicy
  ) throws(BenchError) -> MountContenders {
    let backing = folder.appending("twin-backing")
    let place = folder.appending("twin")
    let twin = try system { () throws(SystemError) in
      for made in [backing, place] { try FileSystem.makeDirectories(made) }
      return try Self.startTwin(harness, backing, place, policy)
    }
    do throws(RigError) {
      let rig = try RigClient.start(
        harness: harness, workFolder: folder.appending("rig"), cards: [])
      let volumes = try rig.load(try Self.script(policy), caseIndex: 0)
      return MountContenders(
        harness: harness, twin: twin, rig: rig, places: Self.places(of: volumes, place))
    } catch {
      throw .rig(error)
    }
  }

  private static func startTwin(
    _ harness: BytePath, _ backing: BytePath, _ place: BytePath, _ policy: CachePolicy
  ) throws(SystemError) -> ChildProcess {
    let words =
      ["twin"].map { Array($0.utf8) } + [backing.bytes, place.bytes]
      + [Array((policy == .none ? "none" : "kernel").utf8)]
    var twin = try ChildProcess.spawn(ChildProcess.Command(harness, words))
    for _ in 0..<500 {
      if try MountTable.current().entry(at: place) != nil { return twin }
      if try twin.wait(timeout: .milliseconds(10)) != nil { break }
    }
    throw SystemError(call: "mount", errno: .inputOutput, path: place)
  }

  /// Both stores, whole and with nothing in them, no rule.
  private static func script(_ policy: CachePolicy) throws(RigError) -> Script {
    let text = """
      custody-fault 1
      card    empty
      volume  src  persona ext4  capacity 1MiB
      volume  dst  persona ext4  capacity 16GiB  store backed  cache \(policy.rawValue)
      volume  dst2 persona ext4  capacity 16GiB  store memory  cache \(policy.rawValue)
      case "bench"
        expect verified
      """
    do throws(ScriptError) {
      return try ScriptLoader(cards: CardLibrary(folders: [])).load(
        Array(text.utf8), name: "bench")
    } catch {
      throw RigError("\(error)")
    }
  }

  private static func places(
    of volumes: [MountedVolume], _ twin: BytePath
  ) -> [Name: BytePath] {
    var places: [Name: BytePath] = [.twin: twin]
    for volume in volumes {
      if volume.name == "dst" { places[.backed] = volume.mountPoint }
      if volume.name == "dst2" { places[.memory] = volume.mountPoint }
    }
    return places
  }

  /// Does a step on one of them, in a process of its own.
  func run(
    _ name: Name, _ step: MountStep, mebibytes: Int, files: Int
  ) throws(BenchError) -> MountTime {
    guard let place = places[name] else {
      throw .rig(RigError("there is no volume for \(name.rawValue)"))
    }
    let server = name == .twin ? twin.pid : rig.pid
    let count = step.count(mebibytes: mebibytes, files: files)
    let words =
      [Array("client".utf8), place.bytes]
      + ["\(server)", "\(files)", step.rawValue, "\(count)"].map { Array($0.utf8) }
    let lines = try system { () throws(SystemError) in
      try Self.output(of: ChildProcess.Command(harness, words))
    }
    guard lines.count == 1, let time = Self.time(lines[0], count: count) else {
      throw .failed(
        command: "\(step.title) on \(name.rawValue)", status: "an error",
        lastWords: lines.last ?? "")
    }
    return time
  }

  private static func output(of command: ChildProcess.Command) throws(SystemError) -> [String] {
    let pipe = try FileDescriptor.pipe()
    return try pipe.split { (reading, writing) throws(SystemError) in
      var child = try ChildProcess.spawn(
        command, descriptors: [(writing.rawValue, 1), (writing.rawValue, 2)])
      try writing.close()
      var reader = LineReader(reading)
      var lines: [String] = []
      while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
      _ = try child.wait()
      return lines
    }
  }

  private static func time(_ line: String, count: Int) -> MountTime? {
    let numbers = line.split(separator: " ").map { UInt64($0) }
    guard numbers.count == 3, let wall = numbers[0], let client = numbers[1],
      let server = numbers[2]
    else { return nil }
    return MountTime(count: count, wall: wall, client: client, server: server)
  }

  /// Takes the mounts away and ends what serves them.
  func end() throws(BenchError) {
    try system { () throws(SystemError) in
      try twin.kill(.terminate)
      _ = try twin.wait(timeout: .seconds(10))
    }
    do throws(RigError) {
      try rig.shutdown()
    } catch {
      throw .rig(error)
    }
  }
}
