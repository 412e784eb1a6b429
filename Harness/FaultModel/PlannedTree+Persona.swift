import SystemIO

extension PlannedTree {
  /// Holds entries to what their volume's persona can store: names and kinds that it refuses are
  /// an error of the script, times take the persona's steps.
  mutating func settle(
    _ paths: [BytePath], on persona: Persona?, line: Int?
  ) throws(TreeError) {
    guard let persona else { return }
    let twins = persona.names.isCaseSensitive ? [:] : pathsByKey(persona.names)
    for path in paths {
      guard var entry = entries[path] else { continue }
      try check(path, entry, persona, line)
      let same = twins[Self.key(path, persona.names)] ?? [path]
      if let twin = same.first(where: { $0 != path }) {
        throw TreeError(line: line, message: "\(path) and \(twin) are one name on \(persona.name)")
      }
      entry.modification = persona.times.modificationOnMedium(entry.modification)
      entries[path] = entry
    }
  }

  private func check(
    _ path: BytePath, _ entry: PlannedEntry, _ persona: Persona, _ line: Int?
  ) throws(TreeError) {
    func refuse(_ reason: String) -> TreeError {
      TreeError(line: line, message: "\(persona.name) \(reason): \(path)")
    }
    let name = path.lastComponent
    switch persona.names.stored(name) {
    case .refused(let errno): throw refuse("refuses the name with \(errno.name ?? "an error")")
    case .kept(let stored): if stored != name { throw refuse("would store '\(stored)' for") }
    }
    if entry.hardLink != nil, persona.linkError != nil { throw refuse("has no hard links") }
    if entry.kind == .symlink, persona.symlinkError != nil { throw refuse("has no symbolic links") }
    if entry.kind == .fifo, persona.nodeError != nil { throw refuse("has no fifos") }
    if let largest = persona.largestFile, entry.content?.byteCount ?? 0 > largest {
      throw refuse("holds no file of that size")
    }
  }

  /// Entries that are one name to the volume, under their common key.
  private func pathsByKey(_ names: Persona.NameRules) -> [BytePath: [BytePath]] {
    Dictionary(grouping: entries.keys) { Self.key($0, names) }
  }

  private static func key(_ path: BytePath, _ names: Persona.NameRules) -> BytePath {
    let name = names.key(path.lastComponent)
    return path.parent?.appending(name) ?? name
  }
}

extension Preamble {
  /// The persona that plays a volume; nil for a volume that is another way to one, and for a
  /// persona that does not work yet.
  func persona(of volume: String) -> Persona? {
    volumes.first { $0.name == volume && $0.alias == nil }.flatMap { Persona.named($0.persona) }
  }
}
