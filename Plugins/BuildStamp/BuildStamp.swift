import Foundation
import PackagePlugin

/// Writes the digest of the engines' sources into the module BuildIdentity.
///
/// Every source is an input of the command, so that an edit of any of them makes a new stamp in
/// the same build; a new file makes SwiftPM plan again, which runs this plugin again. The script
/// rewrites its output only when the digest changes: nothing is rebuilt otherwise.
@main
struct BuildStamp: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) -> [Command] {
    let package = context.package.directoryURL
    let script = package.appending(path: "Plugins/BuildStamp/stamp.sh")
    let output = context.pluginWorkDirectoryURL.appending(path: "Stamp.swift")
    return [
      .buildCommand(
        displayName: "Digest of the engines' sources",
        executable: URL(filePath: "/bin/sh"),
        arguments: [
          script.path(percentEncoded: false), package.path(percentEncoded: false),
          output.path(percentEncoded: false),
        ],
        inputFiles: files(below: package.appending(path: "Sources"))
          + [package.appending(path: "Package.swift"), script],
        outputFiles: [output])
    ]
  }

  private func files(below folder: URL) -> [URL] {
    let walk = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: [.isRegularFileKey])
    return (walk?.compactMap { $0 as? URL } ?? [])
      .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
      .sorted { $0.path < $1.path }
  }
}
