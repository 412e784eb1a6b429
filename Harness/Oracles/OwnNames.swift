import SystemIO

/// The names that the product makes for itself (offload decisions 15 and 19).
enum OwnNames {
  private static let temporary = Array(".custody.tmp.".utf8)
  private static let failed = Array(".custody-failed".utf8)
  private static let report = Array("Custody_Report_".utf8)

  static func isTemporary(_ path: BytePath) -> Bool {
    path.lastComponent.bytes.starts(with: temporary)
  }

  static func isMarker(_ path: BytePath) -> Bool {
    StatusMarker.isMarker(name: path.lastComponent)
  }

  /// A copy that did not match, kept beside the name it was to have.
  static func isFailedCopy(_ path: BytePath) -> Bool {
    let name = path.lastComponent.bytes
    return name.count > failed.count && name.suffix(failed.count).elementsEqual(failed)
  }

  /// The folder `Reports` at a root, or a published report in it.
  static func isReport(_ path: BytePath) -> Bool {
    let names = path.components
    guard let folder = names.first, folder == "Reports" else { return false }
    return names.count == 1 || names.count == 2 && names[1].bytes.starts(with: report)
  }

  /// Folders at a card's root that belong to a desktop and are not copied (offload 8).
  static func isRootMetadata(_ name: BytePath) -> Bool { rootMetadata.contains(name) }

  private static let rootMetadata: Set<BytePath> = [
    ".Spotlight-V100", ".fseventsd", ".Trashes", ".TemporaryItems", ".DocumentRevisions-V100",
  ]
}
