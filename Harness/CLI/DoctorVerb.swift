import BuildIdentity
import CommandLineKit
import Glibc
import HarnessKit
import Subjects
import Suites
import SystemIO
import Wire

/// `harness doctor`: what this machine offers, what is missing, how to get it.
enum DoctorVerb {
  private static let json = Parameter.flag("--json", "one JSON object instead of a table")

  static let command = Command(
    "doctor", "Says what this machine offers, what is missing, how to get it and what needs root",
    parameters: [json.row],
    exitCodes: [
      .init("0", "everything that the verbs need is there"),
      .init("3", "something is missing that a verb needs"),
    ])

  /// One requirement and its state.
  struct Finding {
    let name: String
    /// nil when it is there.
    let problem: String?
    let remedy: String
    /// What runs without it.
    let without: String
    let isNeeded: Bool
    let needsRoot: Bool
  }

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    let findings = findings()
    if values.has(json) {
      console.send(["doctorVersion": 1, "requirements": .array(findings.map(row))])
    } else {
      var table = TextTable(header: ["requirement", "state"])
      for finding in findings {
        table.add([finding.name, finding.problem ?? "ok"])
      }
      console.show(table.lines.joined(separator: "\n") + "\n")
      for finding in findings where finding.problem != nil {
        let root = finding.needsRoot ? " (needs root)" : ""
        console.show("\n\(finding.name)\n  remedy: \(finding.remedy)\(root)\n")
        console.show("  without it: \(finding.without)\n")
      }
    }
    let isReady = !findings.contains { $0.isNeeded && $0.problem != nil }
    return isReady ? ExitCode.pass : ExitCode.blocked
  }

  private static func row(_ finding: Finding) -> JSON {
    [
      "name": .text(finding.name), "state": .text(finding.problem ?? "ok"),
      "isMissing": .bool(finding.problem != nil), "isNeeded": .bool(finding.isNeeded),
      "remedy": .text(finding.remedy), "needsRoot": .bool(finding.needsRoot),
      "without": .text(finding.without),
    ]
  }

  private static func findings() -> [Finding] {
    [
      Finding(
        name: "/dev/fuse", problem: Machine.fuseProblem,
        remedy: "modprobe fuse; in a container --device /dev/fuse --cap-add SYS_ADMIN; then "
          + "Harness/setup, which lets every user open it",
        without: "list, doctor; fault, gate, replay and mount cannot run", isNeeded: true,
        needsRoot: true),
      Finding(
        name: "fusermount3", problem: geteuid() == 0 ? nil : missingTool("fusermount3"),
        remedy: "apt-get install fuse3", without: "everything runs as root only",
        isNeeded: geteuid() != 0, needsRoot: true),
      Finding(
        name: "custody", problem: custodyProblem,
        remedy: "build or install custody and harness together (swift build, or make install)",
        without: "list, doctor, mount", isNeeded: true, needsRoot: false),
      Finding(
        name: "scripts and cards", problem: scriptsProblem,
        remedy: "run from the project's folder, or make install",
        without: "personas still run their generic cases where the cards are found",
        isNeeded: true, needsRoot: false),
      Finding(
        name: "memory", problem: memoryProblem, remedy: "end other programs, or lower --jobs",
        without: "list, doctor", isNeeded: true, needsRoot: false),
      Finding(
        name: "xxh128sum", problem: missingTool("xxh128sum"), remedy: "apt-get install xxhash",
        without: "everything runs, but no outside tool looks at the volumes", isNeeded: false,
        needsRoot: true),
      Finding(
        name: "find", problem: missingTool("find"), remedy: "apt-get install findutils",
        without: "everything runs, but no outside tool looks at the volumes", isNeeded: false,
        needsRoot: true),
      Finding(
        name: "copy tools", problem: missingTools,
        remedy: "apt-get install rsync rclone, or Harness/setup",
        without: "league compares the tools that are there", isNeeded: false, needsRoot: true),
      Finding(
        name: "namespaces", problem: Enclosure.problem, remedy: "run as root",
        without: "subjects run without namespaces of their own, and what they leave running may "
          + "escape",
        isNeeded: false, needsRoot: true),
      Finding(
        name: "root", problem: geteuid() == 0 ? nil : "an ordinary user",
        remedy: "run as root, or leave it",
        without: "everything but cases on permission bits of other users", isNeeded: false,
        needsRoot: true),
    ]
  }

  private static var missingTools: String? {
    let missing = ["cp", "rsync", "rclone", "tar", "bash"].filter { Machine.tool($0) == nil }
    return missing.isEmpty ? nil : "not on PATH: \(missing.joined(separator: ", "))"
  }

  private static func missingTool(_ name: String) -> String? {
    Machine.tool(name) == nil ? "not on PATH" : nil
  }

  private static var custodyProblem: String? {
    do throws(SubjectFailure) {
      _ = try OffloadSubject.make()
      return nil
    } catch {
      return error.description
    }
  }

  private static var scriptsProblem: String? {
    guard let library = try? SuiteLibrary.standard(), !library.names.isEmpty else {
      return "no FaultScripts found"
    }
    return library.cards.names.isEmpty ? "no Fixtures/cards found" : nil
  }

  private static var memoryProblem: String? {
    guard let free = Machine.availableMemory else { return nil }
    return free < Machine.memoryByteCount ? "\(ByteCount.text(free)) available" : nil
  }
}
