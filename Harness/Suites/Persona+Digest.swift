import FaultModel

extension Persona {
  /// A digest over every row, so that a replay can say that a persona is not what it was. Not for
  /// proof, only for notice: 64 bits of FNV-1a.
  var digest: String {
    let forbidden = names.forbidden.sorted().map(String.init).joined(separator: ",")
    let rows: [Any?] = [
      name, forbidden, names.forbiddenError, names.limit, names.notUTF8Error, names.trailing,
      names.refusesDevices, names.findsForbidden,
      names.isCaseSensitive, names.normalisation, times.modificationGrain,
      times.modificationGrainOnMedium, times.accessGrain, times.earliest, times.latest,
      times.accessGrainOnMedium, times.clampsOnRemount, times.wrapsLateYears, times.changeTime,
      times.dropsSingleTimes, times.accessMoves, times.renamesMoveFolders, inodes, linkError,
      symlinkError, nodeError,
      xattrError, fallocateError, noReplaceError, exchangeError, modes, owners, shownMode,
      folderLinks, listsInodes, isSparse, reportsHoles, entryRoom, copiesOnWrite, fullFolderError,
      largestFile, writesWhole, reportsLate,
      openRemoval, spelling, barriers, makesSidecars, facts.type, facts.bestLevel,
    ]
    let text = rows.map { row in row.map { "\($0)" } ?? "nil" }.joined(separator: "\n")
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
