/// A command line as a subject: what `--tool` names, and what a replay file holds of it.
public struct ToolSpec: Sendable, Equatable {
  /// The preset's name, or `tool` for a command line of the user's; the end of its cases' ids.
  public let name: String
  public let template: ToolTemplate
  /// It compares what it wrote before it says success: a wrong file is then a false proof.
  public let verifies: Bool
  /// Exit 0 promises the medium: the command syncs what it wrote before it ends. Other tools promise
  /// what everybody sees.
  public let promisesMedium: Bool
  /// Programs that a shell will look for; a template of words names its own.
  public let helpers: [String]
  /// What the program says of itself, or the digest of one that is not asked; empty until it was
  /// looked up.
  public var version = ""

  init(
    name: String, template: ToolTemplate, verifies: Bool = false, promisesMedium: Bool = false,
    helpers: [String] = []
  ) {
    self.name = name
    self.template = template
    self.verifies = verifies
    self.promisesMedium = promisesMedium
    self.helpers = helpers
  }

  /// A command line of the user's.
  public init(
    command: String, isShell: Bool, promisesMedium: Bool = false
  ) throws(ToolTemplateError) {
    self.init(
      name: "tool", template: try ToolTemplate(command, isShell: isShell),
      promisesMedium: promisesMedium)
  }

  /// What a replay file says of a tool.
  public init(
    name: String, command: String, isShell: Bool, verifies: Bool, promisesMedium: Bool,
    version: String
  ) throws(ToolTemplateError) {
    self.init(
      name: name, template: try ToolTemplate(command, isShell: isShell), verifies: verifies,
      promisesMedium: promisesMedium,
      helpers: ToolPreset.named(name)?.helpers ?? [])
    self.version = version
  }

  /// Every program that must be there for the tool to run.
  public var programs: [String] {
    (template.isShell ? ["bash"] : []) + helpers
      + (template.program.map { [$0.escaped] } ?? [])
  }
}

/// The tools that `--tool` and `harness league` know by name: add one here.
public struct ToolPreset: Sendable {
  public let name: String
  /// One sentence.
  public let summary: String
  public let command: String
  public let isShell: Bool
  public let verifies: Bool
  public let promisesMedium: Bool
  /// False for variations that a league runs only when they are named.
  public let isInLeague: Bool
  let helpers: [String]

  private init(
    _ name: String, _ summary: String, _ command: String, shell helpers: [String]? = nil,
    verifies: Bool = false, promisesMedium: Bool = false, isInLeague: Bool = true
  ) {
    self.name = name
    self.summary = summary
    self.command = command
    self.isShell = helpers != nil
    self.helpers = helpers ?? []
    self.verifies = verifies
    self.promisesMedium = promisesMedium
    self.isInLeague = isInLeague
  }

  public static let all: [ToolPreset] = [
    ToolPreset("cp", "GNU cp, everything kept", "cp -a {src}/. {dst}/"),
    ToolPreset("rsync", "rsync, one pass", "rsync -a {src}/ {dst}/"),
    ToolPreset(
      "rsync-checksum", "rsync, then a second pass that compares checksums",
      "rsync -a {src}/ {dst}/ && rsync -ac {src}/ {dst}/", shell: ["rsync"], verifies: true),
    ToolPreset(
      "rclone", "rclone copy, which hashes what it wrote", "rclone copy --checksum {src} {dst}",
      verifies: true),
    ToolPreset(
      "tar", "tar into tar through a pipe",
      "set -o pipefail; tar -C {src} -cf - . | tar -C {dst} -xpf -", shell: ["tar"]),
    ToolPreset(
      "cp-update", "GNU cp that skips what is not older", "cp -au {src}/. {dst}/",
      isInLeague: false),
    ToolPreset(
      "rclone-check", "rclone copy, then rclone check",
      "rclone copy --checksum {src} {dst} && rclone check {src} {dst}", shell: ["rclone"],
      verifies: true, isInLeague: false),
    ToolPreset(
      "rclone-size-only", "rclone that compares sizes only, then checks sizes only",
      "rclone copy --size-only {src} {dst} && rclone check --size-only {src} {dst}",
      shell: ["rclone"], isInLeague: false),
    ToolPreset(
      "cp-sync", "GNU cp, then fsync of every file and folder",
      "cp -a {src}/. {dst}/ && find {dst} -exec sync {{}} +", shell: ["cp", "find", "sync"],
      promisesMedium: true, isInLeague: false),
    ToolPreset(
      "rsync-fsync", "rsync that syncs each file, and no folder",
      "rsync -a --fsync {src}/ {dst}/", promisesMedium: true, isInLeague: false),
  ]

  /// nil when no preset has the name.
  public static func named(_ name: String) -> ToolPreset? { all.first { $0.name == name } }

  /// The preset as a subject.
  ///
  /// - Parameter promisesMedium: its exit 0 is taken so, even if the preset's is not.
  public func spec(promisesMedium taken: Bool = false) throws(ToolTemplateError) -> ToolSpec {
    ToolSpec(
      name: name, template: try ToolTemplate(command, isShell: isShell), verifies: verifies,
      promisesMedium: promisesMedium || taken, helpers: helpers)
  }
}
