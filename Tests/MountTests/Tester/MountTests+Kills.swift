import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// SIGKILL at any moment to any process of a run.
  @Suite struct Kills {
    private enum Victim: String, CaseIterable { case harness, rig, watchdog, subject }

    private static let roundCount = 60 * TesterScratch.factor

    /// Rounds at once: enough to fill the pauses of each.
    private static let width = 3

    @Test("Whoever is killed, whenever: no mount and no process stays, no folder without a note")
    func anyMoment() throws {
      var source = SystemRandom()
      let seed =
        Int(Environment.value("CUSTODY_TESTER_SEED")?.utf8 ?? "")
        .map { UInt64($0) } ?? source.next() % 1_000_000
      let problems = Monitor<[String]>([])
      let struck = Monitor<[String: Int]>([:])
      let next = Monitor<Int>(0)
      let threads = try (0..<Self.width).map { number in
        try Thread(name: "kills-\(number)") {
          while true {
            let round = next.update { next in
              next += 1
              return next - 1
            }
            if round >= Self.roundCount { return }
            do {
              let (victim, found) = try Self.round(round, seed: seed)
              struck.update { $0[victim, default: 0] += 1 }
              if !found.isEmpty {
                problems.update { $0 += found.map { "round \(round), \(victim): \($0)" } }
              }
            } catch {
              problems.update { $0.append("round \(round): \(error)") }
            }
          }
        }
      }
      for thread in threads { thread.join() }
      let found = problems.read { $0 }
      #expect(found.isEmpty, "CUSTODY_TESTER_SEED=\(seed): \(found.joined(separator: "\n"))")
      // Each was there to be killed in some rounds.
      let counts = struck.read { $0 }
      for victim in Victim.allCases {
        #expect(counts[victim.rawValue, default: 0] > 0, "\(counts)")
      }
    }

    /// - Returns: who was killed, and what stayed.
    private static func round(_ round: Int, seed: UInt64) throws -> (String, [String]) {
      var random = SeededRandom(seed: seed &* 1009 &+ UInt64(round))
      let wanted = Victim.allCases[Int(random.below(UInt64(Victim.allCases.count)))]
      let fixture = try RunFixture(
        "case \"one\"\n  expect verified\ncase \"two\"\n  expect verified\n")
      var child = try fixture.start(["fault", "t", "--report", "report"])
      usleep(UInt32(random.below(1_500_000)))
      var problems: [String] = []
      let name: String
      if let pid = wanted == .harness ? child.pid : processes(of: fixture)[wanted] {
        name = wanted.rawValue
        Glibc.kill(pid, SIGKILL)
      } else {
        name = "nobody"
      }
      if try child.wait(timeout: .seconds(60)) == nil {
        problems.append("the harness does not end")
        try child.kill(.kill)
        _ = try child.wait()
      }
      if !eventually(within: .seconds(15), { processes(of: fixture).isEmpty }) {
        problems.append("processes stay: \(processes(of: fixture))")
      }
      let mounts = try MountTable.current().entries.map(\.mountPoint)
        .filter { $0.bytes.starts(with: fixture.folder.bytes) }
      if !mounts.isEmpty { problems.append("mounts stay: \(mounts)") }
      let left = try fixture.leftovers()
      if left.isEmpty { return (name, problems) }
      guard name == Victim.harness.rawValue, left.count == 1 else {
        return (name, problems + ["left in TMPDIR: \(left)"])
      }
      let end = try fixture.run("fault", "t", "--report", "again")
      if end.status != .exited(0) { problems.append("the next run: \(end.output)") }
      if try !fixture.text("again/events.jsonl").contains("\(left[0]), which a run") {
        problems.append("the next run does not tell of \(left[0]): \(end.output)")
      }
      let rest = try fixture.leftovers()
      if !rest.isEmpty { problems.append("the next run leaves \(rest)") }
      return (name, problems)
    }

    /// Everything that runs for the fixture, by what it is: its folder stands in the command line or
    /// the environment.
    private static func processes(of fixture: RunFixture) -> [Victim: Int32] {
      var found: [Victim: Int32] = [:]
      for entry in (try? PinnedDirectory.open("/proc").list()) ?? [] {
        guard let pid = entry.name.utf8.flatMap({ Int32($0) }) else { continue }
        let command = (try? FileSystem.contents(of: BytePath("/proc/\(pid)/cmdline"))) ?? []
        let environment = (try? FileSystem.contents(of: BytePath("/proc/\(pid)/environ"))) ?? []
        guard holds(command + environment, fixture.folder.bytes) else { continue }
        let words = command.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        switch words.dropFirst().first {
        case "rig": found[.rig] = pid
        case "watchdog": found[.watchdog] = pid
        case "fault": found[.harness] = pid
        default: found[.subject] = pid
        }
      }
      return found
    }

    private static func holds(_ text: [UInt8], _ part: [UInt8]) -> Bool {
      guard let first = part.first, text.count >= part.count else { return false }
      for start in 0...(text.count - part.count) where text[start] == first {
        if text[start...].starts(with: part) { return true }
      }
      return false
    }
  }
}
