// swift-tools-version: 6.2
// The house: engines in Sources, the harness that judges them in Harness. Dependencies point down
// only (docs/architecture.md); TidyTests and the explicit import check of the build enforce it.
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

/// A Swift module under `Sources`: an engine or what engines stand on.
func engine(_ name: String, _ dependencies: String...) -> Target {
  .target(name: name, dependencies: dependencies.map { .byName(name: $0) }, swiftSettings: strict)
}

/// A Swift module under `Harness`.
func harness(_ name: String, _ dependencies: String...) -> Target {
  .target(
    name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Harness/\(name)",
    swiftSettings: strict)
}

/// libFuzzer over the parsers of `modules`: only with CUSTODY_FUZZ=1, since it needs unsafe flags.
func addFuzzer(_ name: String, of modules: String..., to package: Package) {
  let fuzzed: SwiftSetting = .unsafeFlags(["-sanitize=fuzzer"])
  for target in package.targets where modules.contains(target.name) {
    target.swiftSettings?.append(fuzzed)
  }
  package.targets.append(
    .executableTarget(
      name: name, dependencies: modules.map { .byName(name: $0) }, path: "Harness/Fuzz",
      swiftSettings: strict + [.unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}

/// A command: an executable with its folder.
func command(_ name: String, path: String, _ dependencies: String...) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies.map { .byName(name: $0) }, path: path,
    swiftSettings: strict)
}

/// A Debian library that Swift imports through a module map.
func system(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func test(_ name: String, _ dependencies: String...) -> Target {
  .testTarget(
    name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Tests/\(name)",
    swiftSettings: strict)
}

let package = Package(
  name: "custody",
  products: [
    .library(name: "Offload", targets: ["Offload"]),
    .executable(name: "custody", targets: ["custody"]),
    .executable(name: "harness", targets: ["harness"]),
  ],
  targets: [
    system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
    system("CXXHash", pkgConfig: "libxxhash", apt: "libxxhash-dev"),
    .target(name: "CLinuxShims"),
    engine("SystemIO", "CLinuxShims"),
    engine("Hashing", "SystemIO", "COpenSSL", "CXXHash"),
    .plugin(name: "BuildStamp", capability: .buildTool()),
    .target(name: "BuildIdentity", swiftSettings: strict, plugins: ["BuildStamp"]),
    engine("Wire"),
    engine("CommandLineKit", "SystemIO", "Wire"),
    engine("Offload", "SystemIO", "Hashing", "Wire"),
    command(
      "custody", path: "Sources/custody", "Offload", "SystemIO", "CommandLineKit", "Wire",
      "BuildIdentity"),

    .target(
      name: "CFuseShims", path: "Harness/CFuseShims",
      linkerSettings: [.linkedLibrary("fuse3")]),
    harness("FaultModel", "SystemIO", "COpenSSL", "CXXHash"),
    harness("FaultFS", "FaultModel", "Wire", "SystemIO", "CFuseShims", "CXXHash"),
    harness("HarnessKit", "FaultModel", "Wire", "SystemIO"),
    harness(
      "Subjects", "HarnessKit", "FaultModel", "Wire", "SystemIO", "BuildIdentity", "CXXHash"),
    harness("Oracles", "HarnessKit", "FaultModel", "Wire", "SystemIO"),
    harness("Exploration", "HarnessKit", "FaultModel", "SystemIO"),
    harness("Reporting", "HarnessKit", "FaultModel", "Wire", "SystemIO"),
    harness(
      "Suites", "Exploration", "HarnessKit", "Subjects", "Oracles", "FaultFS", "FaultModel",
      "Wire", "SystemIO"),
    .target(
      name: "CBench", path: "Harness/CBench", linkerSettings: [.linkedLibrary("fuse3")]),
    harness(
      "Bench", "Exploration", "FaultFS", "FaultModel", "CommandLineKit", "Hashing", "Wire",
      "SystemIO", "CBench"),
    command(
      "harness", path: "Harness/CLI", "Suites", "Reporting", "Subjects", "Oracles", "HarnessKit",
      "Bench", "FaultFS", "FaultModel", "BuildIdentity", "CommandLineKit", "Wire", "SystemIO"),

    test("SystemIOTests", "SystemIO", "CLinuxShims"),
    test("HashingTests", "Hashing", "SystemIO"),
    test("BenchTests", "Bench", "SystemIO", "Wire"),
    test("WireTests", "Wire"),
    test("OffloadTests", "Offload", "Hashing", "SystemIO", "Wire"),
    test("TidyTests"),
    test("IntegrationTests", "FaultFS", "FaultModel", "Wire", "SystemIO", "CLinuxShims"),
    test("ClientTests", "Offload", "SystemIO"),
    test("FaultModelTests", "FaultModel", "SystemIO"),
    test("SuitesTests", "Suites", "Subjects", "HarnessKit", "FaultModel", "Wire", "SystemIO"),
    test("ExplorationTests", "Exploration", "HarnessKit", "FaultModel", "SystemIO"),
    test("ReportingTests", "Reporting", "HarnessKit", "Wire", "SystemIO"),
    test(
      "MountTests", "Bench", "Subjects", "FaultFS", "FaultModel", "Wire", "SystemIO", "CLinuxShims"),
    test("OraclesTests", "Oracles", "HarnessKit", "FaultModel", "SystemIO"),
    test("SubjectsTests", "Subjects", "Oracles", "HarnessKit", "FaultModel", "SystemIO"),
    test("CommandLineKitTests", "CommandLineKit", "SystemIO", "Wire"),
    test("FaultFSTests", "FaultFS", "FaultModel", "SystemIO"),
  ]
)

if Context.environment["CUSTODY_FUZZ"] == "1" {
  addFuzzer("fuzz-parsers", of: "FaultModel", "Wire", to: package)
}
