import FaultModel
public import HarnessKit
public import Subjects
public import SystemIO
public import Wire

/// `replay.json`: one case with everything that it needs, so that it runs again anywhere.
public struct Replay: Sendable, Equatable {
  /// The format that is written, and the newest that is read.
  public static let version = 1

  public var build: String
  public var kernel: String
  /// The case's id: `exfat/links-refused@standard`.
  public var id: String
  /// The script's name.
  public var script: String
  /// A script of its own: the preamble and the one case.
  public var scriptText: String
  public var mode: String
  public var seed: UInt64
  /// As `harness list subjects` prints it, a saboteur's name included.
  public var subject: String
  public var deadlineSeconds: Double
  /// The version of the generator of file contents (`Content.generatorVersion`).
  public var generator: Int
  /// Card tables that the script names, whole.
  public var cards: [String: String]
  /// A digest over every row of each persona that the case uses.
  public var personas: [String: String]
  public var verdict: Verdict
  /// Gate mode; false in files that do not say.
  public var isGated: Bool
  /// An oracle has to object to the subject, which is broken on purpose; nil in files that do not
  /// say, where the subject's row decides.
  public var isInverted: Bool?
  /// The command line with its version; nil for a subject of the catalogue.
  public var tool: ToolSpec?
  /// The user that the subject ran as; nil for the harness's own.
  public var account: String?

  public init(
    build: String, kernel: String, id: String, script: String, scriptText: String, mode: String,
    seed: UInt64, subject: String, deadlineSeconds: Double, generator: Int,
    cards: [String: String], personas: [String: String], verdict: Verdict, isGated: Bool = false,
    isInverted: Bool? = nil
  ) {
    self.build = build
    self.kernel = kernel
    self.id = id
    self.script = script
    self.scriptText = scriptText
    self.mode = mode
    self.seed = seed
    self.subject = subject
    self.deadlineSeconds = deadlineSeconds
    self.generator = generator
    self.cards = cards
    self.personas = personas
    self.verdict = verdict
    self.isGated = isGated
    self.isInverted = isInverted
  }
}

/// A replay file that cannot be used: exit code 2.
public enum ReplayError: Error, Sendable, Equatable {
  case unreadable(SystemError)
  case notJSON(JSONError)
  /// The file has a format that this build does not know.
  case version(Int)
  case missing(String)
  /// The contents were made by another version of the generator.
  case generator(Int, known: Int)
  /// The script does not parse.
  case script(String)
}

extension ReplayError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreadable(let error): return error.description
    case .notJSON(let error): return "no replay file: \(error)"
    case .version(let version):
      return version > Replay.version
        ? "replay version \(version) is newer than this harness, which reads up to "
          + "\(Replay.version): run it with the build that the file names, or a newer one"
        : "replay version \(version) is unknown: this harness reads 1 to \(Replay.version)"
    case .generator(let version, let known):
      return "the file's contents are of generator version \(version), this harness makes "
        + "version \(known): run it with the build that the file names"
    case .script(let error): return error
    case .missing(let name): return "no replay file: '\(name)' is missing or of another kind"
    }
  }
}

extension Replay {
  public var json: JSON {
    let members: JSON = [
      "replayVersion": JSON(Self.version),
      "id": .text(id),
      "verdict": .text(verdict.rawValue),
      "build": .text(build),
      "kernel": .text(kernel),
      "subject": .text(subject),
      "mode": .text(mode),
      "seed": JSON(seed),
      "deadlineSeconds": .number(deadlineSeconds),
      "generator": JSON(generator),
      "personas": Self.object(personas),
      "script": .text(script),
      "scriptText": .text(scriptText),
      "cards": Self.object(cards),
    ]
    // Left out where they say nothing, as in files from before they were known.
    var more: [JSON.Member] = []
    if isGated { more.append(.init("gated", .bool(true))) }
    if let isInverted { more.append(.init("inverted", .bool(isInverted))) }
    if let tool { more.append(.init("tool", Self.json(tool))) }
    if let account { more.append(.init("as", .text(account))) }
    return .object((members.object ?? []) + more)
  }

  private static func json(_ tool: ToolSpec) -> JSON {
    [
      "name": .text(tool.name), "command": .text(tool.template.text),
      "shell": .bool(tool.template.isShell), "verifies": .bool(tool.verifies),
      "version": .text(tool.version), "durable": .bool(tool.promisesMedium),
    ]
  }

  private static func tool(_ json: JSON) throws(ReplayError) -> ToolSpec {
    do throws(ToolTemplateError) {
      return try ToolSpec(
        name: json["name"]?.text ?? "", command: json["command"]?.text ?? "",
        isShell: json["shell"]?.bool ?? false, verifies: json["verifies"]?.bool ?? false,
        promisesMedium: json["durable"]?.bool ?? false, version: json["version"]?.text ?? "")
    } catch {
      throw .script("the tool's command: \(error)")
    }
  }

  private static func object(_ texts: [String: String]) -> JSON {
    .object(texts.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .text($0.value)) })
  }

  /// Reads a file of any known version.
  public static func read(_ path: BytePath) throws(ReplayError) -> Replay {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.contents(of: path, limit: 16 << 20)
    } catch {
      throw .unreadable(error)
    }
    return try Replay(parsing: bytes)
  }

  public init(parsing bytes: [UInt8]) throws(ReplayError) {
    let json: JSON
    do throws(JSONError) {
      json = try JSON.parse(bytes)
    } catch {
      throw .notJSON(error)
    }
    let version = try Self.required(json, "replayVersion", \.int)
    guard version == Self.version else { throw .version(version) }
    let word = try Self.required(json, "verdict", \.text)
    guard let verdict = Verdict(rawValue: word) else { throw .missing("verdict") }
    self.init(
      build: try Self.required(json, "build", \.text),
      kernel: try Self.required(json, "kernel", \.text),
      id: try Self.required(json, "id", \.text),
      script: try Self.required(json, "script", \.text),
      scriptText: try Self.required(json, "scriptText", \.text),
      mode: try Self.required(json, "mode", \.text),
      seed: try Self.required(json, "seed", \.uint64),
      subject: try Self.required(json, "subject", \.text),
      deadlineSeconds: try Self.required(json, "deadlineSeconds", \.double),
      generator: try Self.required(json, "generator", \.int),
      cards: try Self.texts(json, "cards"), personas: try Self.texts(json, "personas"),
      verdict: verdict, isGated: json["gated"]?.bool ?? false,
      isInverted: json["inverted"]?.bool)
    if let value = json["tool"], value.object != nil { tool = try Self.tool(value) }
    account = json["as"]?.text
  }

  private static func required<Value>(
    _ json: JSON, _ name: String, _ value: (JSON) -> Value?
  ) throws(ReplayError) -> Value {
    guard let found = json[name].flatMap(value) else { throw .missing(name) }
    return found
  }

  private static func texts(_ json: JSON, _ name: String) throws(ReplayError) -> [String: String] {
    var texts: [String: String] = [:]
    for member in try required(json, name, \.object) {
      guard let text = member.value.text else { throw .missing("\(name).\(member.key)") }
      texts[member.key] = text
    }
    return texts
  }
}
