import CommandLineKit
import Glibc
import HarnessKit
import Subjects
import Suites

/// How the verbs that run cases name a tool and the user it runs as.
struct ToolOptions {
  static let tool = Parameter.option(
    "--tool", "COMMAND", .text,
    "judge this command instead of an engine: cp, rsync, rsync-checksum, rclone, tar or another "
      + "preset (harness list subjects), or a command line with {src} and {dst}")
  static let shell = Parameter.flag("--shell", "give the text of --tool to bash -c as it is")
  static let durable = Parameter.flag(
    "--durable",
    "take exit 0 of --tool as a promise of the medium: what is not synced by then is a lie")
  static let account = Parameter.option(
    "--as", "USER", .text,
    "run the subject as this user, in a process of its own; cases of permissions need it when "
      + "harness runs as root")

  static let rows = [tool.row, shell.row, durable.row, account.row]

  /// nil for the engine of --subject.
  let spec: ToolSpec?
  let account: Account?

  init(_ values: Arguments) throws(UsageError) {
    account = try Self.account(values)
    guard let text = values[Self.tool] else {
      for flag in [Self.shell, Self.durable] where values.has(flag) {
        throw UsageError("harness: \(flag.row.name) speaks of --tool, which is not there")
      }
      spec = nil
      return
    }
    spec = Self.known(
      try Self.spec(
        text, isShell: values.has(Self.shell), promisesMedium: values.has(Self.durable)))
  }

  /// A preset's name, or a command line.
  private static func spec(
    _ text: String, isShell: Bool, promisesMedium: Bool
  ) throws(UsageError) -> ToolSpec {
    do throws(ToolTemplateError) {
      if let preset = ToolPreset.named(text), !isShell {
        return try preset.spec(promisesMedium: promisesMedium)
      }
      return try ToolSpec(command: text, isShell: isShell, promisesMedium: promisesMedium)
    } catch {
      let names = ToolPreset.all.map(\.name)
      let near = text.contains(" ") ? [] : NearNames.of(text, among: names)
      throw UsageError(
        "harness: --tool: \(error)",
        remedy: near.isEmpty
          ? "Such as --tool 'rsync -a {src}/ {dst}/', or a preset: "
            + names.joined(separator: ", ")
          : "Did you mean \(near.joined(separator: " or "))?")
    }
  }

  /// The tool with its version; as it is when it is missing, which blocks its cases.
  private static func known(_ spec: ToolSpec) -> ToolSpec {
    (try? ToolSubject(spec))?.spec ?? spec
  }

  private static func account(_ values: Arguments) throws(UsageError) -> Account? {
    guard let name = values[Self.account] else { return nil }
    return try self.account(named: name)
  }

  /// The user of --as, which only root can become.
  static func account(named name: String) throws(UsageError) -> Account {
    guard let found = Account.named(name) else {
      throw UsageError("harness: --as: there is no user '\(name)'")
    }
    if geteuid() != 0 && geteuid() != found.uid {
      throw UsageError(
        "harness: --as: only root can become \(name)", remedy: "Run harness as \(name) instead")
    }
    return found
  }
}
