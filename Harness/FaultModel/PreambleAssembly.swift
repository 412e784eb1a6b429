import SystemIO

/// The words that say what stands before a case begins.
enum PreambleWord: String, CaseIterable {
  case card, volume, modes, seed, headroom
}

/// The words of a volume's options.
enum VolumeWord: String, CaseIterable {
  case persona, capacity, cache, inside, store, facts, nommap, barriers
}

/// Collects preamble lines of a script, or the overrides of one case.
struct PreambleAssembly {
  private(set) var preamble = Preamble()
  private var given: Set<PreambleWord> = []
  private var volumeNames: Set<String> = []

  init(over preamble: Preamble = Preamble()) {
    self.preamble = preamble
  }

  /// Takes a line whose first word is `word`; returns the persona that it names.
  mutating func take(
    _ word: PreambleWord, _ first: Lexer.Word, _ reader: inout StatementReader
  ) throws(ScriptError) -> PlacedName? {
    if word != .volume { try reader.once(given.insert(word).inserted, first) }
    switch word {
    case .card: preamble.card = try card(&reader)
    case .volume: return try volume(&reader)
    case .modes: preamble.modes = try modes(&reader)
    case .seed: preamble.seed = try seed(&reader)
    case .headroom: preamble.headroom = try reader.size()
    }
    return nil
  }

  private func seed(_ reader: inout StatementReader) throws(ScriptError) -> UInt64 {
    let word = try reader.next(Expected.number)
    guard let seed = Literals.number(word.bytes) else {
      throw reader.lexer.error(word, "not a number", expected: Expected.number)
    }
    return seed
  }

  private func modes(_ reader: inout StatementReader) throws(ScriptError) -> [Mode] {
    var modes: [Mode] = []
    repeat {
      let mode = try reader.choice("mode", Mode.self)
      try reader.once(!modes.contains(mode), reader.last)
      modes.append(mode)
    } while reader.peek != nil
    return modes
  }

  // MARK: Cards

  private func card(_ reader: inout StatementReader) throws(ScriptError) -> CardChoice {
    let (name, _) = try reader.name("card")
    switch name {
    case "empty": return .empty
    case "random": return try randomCard(&reader)
    default: return .named(name)
    }
  }

  private func randomCard(_ reader: inout StatementReader) throws(ScriptError) -> CardChoice {
    let keys = ["files", "bytes", "seed"]
    var files = 20
    var sizes: (smallest: UInt64, largest: UInt64) = (64 << 10, 4 << 20)
    var seed: UInt64 = 1
    var seen: Set<String> = []
    while let word = reader.peek {
      let parts = word.bytes.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let key = String(decoding: parts[0], as: UTF8.self)
      guard parts.count == 2, keys.contains(key) else {
        throw reader.unknown(word, "part of a random card", keys.map { $0 + "=" })
      }
      _ = try reader.next([])
      try reader.once(seen.insert(key).inserted, word)
      switch key {
      case "files":
        guard let count = Literals.number(parts[1]),
          (1...UInt64(CardLayout.mostEntries)).contains(count)
        else { throw reader.lexer.error(word, "1 to \(CardLayout.mostEntries) files") }
        files = Int(count)
      case "bytes": sizes = try sizeSpan(parts[1], word, reader)
      default:
        guard let number = Literals.number(parts[1]) else {
          throw reader.lexer.error(word, "not a number", expected: ["seed=7"])
        }
        seed = number
      }
    }
    return .random(files: files, smallest: sizes.smallest, largest: sizes.largest, seed: seed)
  }

  /// `SIZE` or `SIZE..SIZE`.
  private func sizeSpan(
    _ bytes: ArraySlice<UInt8>, _ word: Lexer.Word, _ reader: StatementReader
  ) throws(ScriptError) -> (smallest: UInt64, largest: UInt64) {
    let dots = bytes.indices.first {
      bytes[$0] == UInt8(ascii: ".") && $0 + 1 < bytes.endIndex
        && bytes[$0 + 1] == UInt8(ascii: ".")
    }
    let low = try reader.size(bytes[..<(dots ?? bytes.endIndex)], of: word)
    let high = try dots.map { at throws(ScriptError) in
      try reader.size(bytes[(at + 2)...], of: word)
    }
    guard low <= high ?? low else {
      throw reader.lexer.error(word, "the smaller size comes first")
    }
    return (low, high ?? low)
  }

  // MARK: Volumes

  private mutating func volume(
    _ reader: inout StatementReader
  ) throws(ScriptError) -> PlacedName? {
    let (name, place) = try reader.name("volume")
    try reader.once(volumeNames.insert(name).inserted, place)
    var spec = VolumeSpec(name: name)
    var persona: PlacedName?
    if reader.takes("=") {
      spec.alias = try alias(of: name, &reader)
    } else {
      persona = try options(&spec, &reader)
      guard spec.capacity != nil else {
        throw reader.lexer.endError(after: reader.last, expected: ["capacity SIZE"])
      }
    }
    if let index = preamble.volumes.firstIndex(where: { $0.name == name }) {
      preamble.volumes[index] = spec
    } else {
      preamble.volumes.append(spec)
    }
    return persona
  }

  private func alias(
    of name: String, _ reader: inout StatementReader
  ) throws(ScriptError) -> VolumeSpec.Alias {
    let (target, place) = try reader.name("volume")
    if target == name { throw reader.lexer.error(place, "a volume is no other way to itself") }
    var way: VolumeSpec.Alias.Way?
    var path: BytePath?
    while let word = reader.peek {
      if reader.takes("by") {
        try reader.once(way == nil, word)
        way = VolumeSpec.Alias.Way(rawValue: try reader.choice("way", of: ["symlink", "bind"]))
      } else if reader.takes("at") {
        try reader.once(path == nil, word)
        path = try reader.treePath().path
      } else {
        throw reader.unknown(word, "word", ["by", "at"])
      }
    }
    return VolumeSpec.Alias(volume: target, by: way, path: path)
  }

  private func options(
    _ spec: inout VolumeSpec, _ reader: inout StatementReader
  ) throws(ScriptError) -> PlacedName? {
    var seen: Set<VolumeWord> = []
    var persona: PlacedName?
    while let word = reader.peek {
      let known = VolumeWord.allCases.map(\.rawValue)
      guard let option = VolumeWord(rawValue: word.text) else {
        throw reader.unknown(word, "word of a volume", known)
      }
      _ = try reader.next([])
      try reader.once(seen.insert(option).inserted, word)
      if option == .persona {
        persona = try self.persona(&spec, &reader)
      } else {
        try self.option(option, &spec, &reader)
      }
    }
    return persona
  }

  private func persona(
    _ spec: inout VolumeSpec, _ reader: inout StatementReader
  ) throws(ScriptError) -> PlacedName {
    let (name, place) = try reader.name("persona")
    spec.persona = name
    return PlacedName(name: name, word: place)
  }

  private func option(
    _ option: VolumeWord, _ spec: inout VolumeSpec, _ reader: inout StatementReader
  ) throws(ScriptError) {
    switch option {
    case .persona: _ = try persona(&spec, &reader)
    case .capacity: spec.capacity = try reader.size()
    case .cache:
      spec.cache =
        CachePolicy(rawValue: try reader.choice("cache policy", of: ["none", "kernel", "lying"]))
        ?? .none
    case .inside: spec.inside = try reader.name("volume").name
    case .store:
      spec.store =
        StoreKind(rawValue: try reader.choice("store", of: ["memory", "backed"])) ?? .memory
    case .facts: spec.facts = try reader.name("facts row").name
    case .nommap: spec.noMmap = true
    case .barriers:
      let known = ["strict", "weak", "fat", "apfs", "ignored"]
      spec.barriers = Barriers(rawValue: try reader.choice("barrier model", of: known))
    }
  }
}
