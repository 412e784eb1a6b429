public import FaultModel
import Wire

/// What volumes hold.
extension RigClient {
  /// What a layer of a volume holds right now, digests included.
  public func snapshot(_ volume: String, _ layer: Layer) throws(RigError) -> TreeSnapshot {
    try look(at: [volume], [layer])[layer]?[volume] ?? TreeSnapshot()
  }

  /// What layers of volumes hold right now.
  public func look(
    at volumes: [String], _ layers: [Layer]
  ) throws(RigError) -> [Layer: [String: TreeSnapshot]] {
    try trees(try askLook(volumes, layers, status: false), volumes, layers)
  }

  /// The same with what has fired and what the rig itself did.
  public func lookAndStatus(
    at volumes: [String], _ layers: [Layer]
  ) throws(RigError) -> (trees: [Layer: [String: TreeSnapshot]], status: RigStatus) {
    let answer = try askLook(volumes, layers, status: true)
    let trees = try trees(answer, volumes, layers)
    return (trees, try RigStatus(answer["status"] ?? .null))
  }

  private func askLook(
    _ volumes: [String], _ layers: [Layer], status: Bool
  ) throws(RigError) -> JSON {
    try ask(
      "look",
      [
        .init("volumes", .array(volumes.map { JSON.text($0) })),
        .init("layers", .array(layers.map { JSON.text($0.rawValue) })),
        .init("status", .bool(status)),
      ])
  }

  private func trees(
    _ answer: JSON, _ volumes: [String], _ layers: [Layer]
  ) throws(RigError) -> [Layer: [String: TreeSnapshot]] {
    let list = try RigMessage.list(answer["trees"], "the trees")
    guard list.count == volumes.count * layers.count else {
      throw RigError("look: \(list.count) trees are not all")
    }
    var trees: [Layer: [String: TreeSnapshot]] = [:]
    for (index, json) in list.enumerated() {
      trees[layers[index / volumes.count], default: [:]][volumes[index % volumes.count]] =
        try tree(json)
    }
    return trees
  }

  private func tree(_ json: JSON) throws(RigError) -> TreeSnapshot {
    if let number = json["same"]?.int {
      guard let tree = told.tree(number) else {
        throw RigError("look: the rig names tree \(number), which was not told")
      }
      return tree
    }
    let tree = try TreeSnapshot(json["entries"])
    guard told.add(tree) == json["number"]?.int else {
      throw RigError("look: the rig counts its trees otherwise")
    }
    return tree
  }
}
