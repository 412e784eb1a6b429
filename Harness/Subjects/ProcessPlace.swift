import SystemIO

/// The folders that a subject's process is given as its own, and where it finds programs.
struct ProcessPlace {
  let home: BytePath
  let temporary: BytePath
  let working: BytePath
  var searchPath: [UInt8] = Array("/usr/bin:/bin".utf8)

  /// A process that is only asked something.
  static let nowhere = ProcessPlace(scratch: "/")

  /// One folder for all: whatever an engine of ours leaves there is litter.
  init(scratch: BytePath) {
    home = scratch
    temporary = scratch
    working = scratch
  }

  /// Folders of a tool below its scratch folder, made where they are missing. What it keeps in
  /// its home is its own affair.
  ///
  /// - `isOpen`: other users may write there.
  init(tool scratch: BytePath, isOpen: Bool) throws(SystemError) {
    home = scratch.appending(Self.homeName)
    temporary = scratch.appending("tmp")
    working = scratch.appending("work")
    searchPath = ToolProgram.searchPath
    for folder in [home, temporary, working] {
      try FileSystem.makeDirectories(folder)
      if isOpen {
        try FileDescriptor.open(folder, .readOnly, options: .directory).setMode(0o1777)
      }
    }
  }

  /// The name of a tool's home in its scratch folder.
  static let homeName: BytePath = "home"

  /// `NAME=value` entries: nothing of the harness's own environment.
  var environment: [[UInt8]] {
    // A crash must end the process at once, not start a backtrace of seconds.
    let fixed = ["LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"]
    return fixed.map { Array($0.utf8) } + [
      Array("PATH=".utf8) + searchPath, Array("HOME=".utf8) + home.bytes,
      Array("TMPDIR=".utf8) + temporary.bytes,
    ]
  }
}
