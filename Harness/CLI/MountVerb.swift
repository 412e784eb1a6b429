import CommandLineKit
import FaultFS
import FaultModel
import Suites
import SystemIO

/// `harness mount`: one volume with faults, for anyone and any program.
enum MountVerb {
  private static let persona = Parameter.positional(
    "PERSONA", .text, "the file system to play (harness list personas)")
  private static let backing = Parameter.positional(
    "BACKING", .path, "the folder that holds the bytes, or the word memory")
  private static let mountPoint = Parameter.positional(
    "MOUNTPOINT", .path, "an empty folder to mount on")
  private static let script = Parameter.option(
    "--script", "FILE", .path, "arm the rules on dst of this script's first case")
  private static let control = Parameter.option(
    "--control", "SOCKET", .path, "listen here for commands as JSON lines")

  static let command = Command(
    "mount", "Mounts a volume that plays a file system, with faults, until Ctrl-C",
    details: "Works as an ordinary user too, where /dev/fuse is open to all and fusermount3 is "
      + "installed.",
    parameters: [persona.row, backing.row, mountPoint.row, script.row, control.row],
    examples: [
      .init("harness mount exfat-linux memory /mnt/x", "An empty exFAT volume in memory."),
      .init(
        "harness mount ext4 ./data /mnt/x --script full.fault",
        "The folder ./data, with the faults of a script."),
    ],
    exitCodes: [
      .init("0", "unmounted cleanly"), .init("2", "the command line cannot be used"),
      .init("3", "this machine cannot mount"), .init("4", "the mount failed"),
    ])

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    guard let persona = values[persona], let backing = values[backing],
      let mountPoint = values[mountPoint]
    else { throw UsageError("harness mount: an argument is missing") }
    guard Persona.named(persona) != nil else {
      let near = Persona.near(persona)
      throw UsageError(
        "harness mount: no persona is named '\(persona)'",
        remedy: near.isEmpty
          ? "The personas are \(Persona.names.joined(separator: ", "))"
          : "Did you mean \(near.joined(separator: " or "))?")
    }
    let mount = MountCommand(
      persona: persona, backing: backing, mountPoint: mountPoint, script: values[script],
      control: values[control], cards: try Library.standard().cards.folders)
    return mount.run { console.complain($0) }
  }
}
