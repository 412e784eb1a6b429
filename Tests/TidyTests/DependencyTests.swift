import Testing

/// Holds the imports against the table of docs/architecture.md, so that neither can drift.
@Suite("Tidy: dependencies point down only")
struct DependencyTests {
  /// What a module may import of this package, by the table `| module | may import |`.
  private static let table: [String: Set<String>] = {
    var table: [String: Set<String>] = [:]
    let lines = Repository.file("docs/architecture.md").lines
      .drop { $0 != "| module | may import |" }.prefix { !$0.isEmpty }
    for line in lines where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map(names)
      guard cells.count >= 2, let module = cells[0].first, cells[0].count == 1 else { continue }
      table[module] = Set(cells[1])
    }
    return table
  }()

  private static func names(_ cell: Substring) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  @Test("a module imports only what the table of docs/architecture.md allows it")
  func imports() {
    #expect(Self.table.count > 10)
    for file in Repository.sources {
      let module = file.path.hasPrefix("Harness/CLI/") ? "harness" : file.module
      guard let allowed = Self.table[module] else {
        Issue.record("docs/architecture.md has no row for \(module)")
        continue
      }
      for name in Self.imports(of: file) where Self.table[name] != nil {
        #expect(allowed.contains(name), "\(file.path) imports \(name)")
      }
    }
  }

  @Test("the table has no circle and no row for what is gone")
  func table() {
    for (module, imports) in Self.table {
      #expect(imports.isSubset(of: Self.table.keys), "\(module) imports what has no row")
      #expect(!Self.reachable(from: module).contains(module), "\(module) reaches itself")
    }
    let modules = Set(
      Repository.texts.map(\.path).filter { $0.hasPrefix("Sources/") || $0.hasPrefix("Harness/") }
        .compactMap { path in
          let parts = path.split(separator: "/")
          return parts.count > 2 ? (parts[1] == "CLI" ? "harness" : String(parts[1])) : nil
        })
    #expect(Set(Self.table.keys) == modules)
  }

  @Test("engines reach no harness, and what judges them reaches no engine")
  func directions() {
    let harness = Set(
      Repository.sources.filter { $0.path.hasPrefix("Harness/") }
        .map { $0.path.hasPrefix("Harness/CLI/") ? "harness" : $0.module })
    let engines: Set<String> = ["Offload"]
    for module in Self.table.keys {
      let reached = Self.reachable(from: module)
      if harness.contains(module) {
        // What engines stand on may err as they do: oracles bring their own.
        #expect(reached.isDisjoint(with: engines), "\(module) reaches an engine")
        if module == "Oracles" { #expect(!reached.contains("Hashing")) }
      } else {
        #expect(reached.isDisjoint(with: harness), "\(module) reaches the harness")
      }
    }
  }

  private static func reachable(from module: String) -> Set<String> {
    var reached: Set<String> = []
    var open = Array(table[module] ?? [])
    while let next = open.popLast() {
      if reached.insert(next).inserted { open += table[next] ?? [] }
    }
    return reached
  }

  private static func imports(of file: Repository.File) -> [String] {
    file.lines.compactMap { line in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
        words[..<index].allSatisfy({ ["public", "internal", "private", "@testable"].contains($0) })
      else { return nil }
      return String(words[index + 1])
    }
  }
}
