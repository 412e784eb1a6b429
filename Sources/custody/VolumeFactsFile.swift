import CommandLineKit
import Offload
import SystemIO
import Wire

/// The file of `--volume-facts` (docs/offload.md, "Volume facts").
enum VolumeFactsFile {
  private static let lengthLimit = 1 << 20
  private static let keys: Set<String> = [
    "root", "type", "level", "inodesLast", "changeTimeIsReal", "modificationGrainNanoseconds",
    "removable",
  ]

  /// Reads facts; strict, since a misspelt fact would be a fact left out.
  static func read(_ path: BytePath) throws(UsageError) -> VolumeFactsProvider {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.contents(of: path, limit: lengthLimit)
    } catch {
      throw UsageError("custody copy: --volume-facts: \(error)")
    }
    let value: JSON
    do throws(JSONError) {
      value = try JSON.parse(bytes)
    } catch {
      throw UsageError("custody copy: --volume-facts: \(path.escaped): \(error)")
    }
    guard let members = value.object, members.count == 1, let volumes = value["volumes"]?.array
    else { throw bad(path, "the file is {\"volumes\": [...]}") }
    var given: [(root: BytePath, facts: VolumeFacts)] = []
    for (index, volume) in volumes.enumerated() {
      do throws(UsageError) {
        given.append(try facts(volume))
      } catch {
        throw bad(path, "volume \(index + 1): \(error.message)")
      }
    }
    return VolumeFactsProvider(given: given)
  }

  private static func bad(_ path: BytePath, _ message: String) -> UsageError {
    UsageError("custody copy: --volume-facts: \(path.escaped): \(message)")
  }

  private static func facts(
    _ value: JSON
  ) throws(UsageError) -> (root: BytePath, facts: VolumeFacts) {
    guard let members = value.object else { throw UsageError("it is no object") }
    if let unknown = members.first(where: { !keys.contains($0.key) }) {
      throw UsageError("unknown member \"\(unknown.key)\"")
    }
    guard let root = value["root"]?.bytes.flatMap({ BytePath($0) }), root.isAbsolute else {
      throw UsageError("\"root\" is an absolute path")
    }
    guard let type = value["type"]?.text else { throw UsageError("\"type\" is a text") }
    guard let level = value["level"]?.text.flatMap(VerificationLevel.init(rawValue:)),
      level != .notRead
    else { throw UsageError("\"level\" is direct, evicted or cached") }
    guard let inodesLast = value["inodesLast"]?.bool, let isReal = value["changeTimeIsReal"]?.bool
    else { throw UsageError("\"inodesLast\" and \"changeTimeIsReal\" are true or false") }
    let grain = value["modificationGrainNanoseconds"] ?? 1
    guard let nanoseconds = grain.int64, nanoseconds > 0 else {
      throw UsageError("\"modificationGrainNanoseconds\" is a number above 0")
    }
    guard let isRemovable = (value["removable"] ?? false).bool else {
      throw UsageError("\"removable\" is true or false")
    }
    let facts = VolumeFacts(
      type: type, bestLevel: level, inodesLast: inodesLast, changeTimeIsReal: isReal,
      modificationGrainNanoseconds: nanoseconds, isRemovable: isRemovable, isGivenByCaller: true)
    return (root, facts)
  }
}
