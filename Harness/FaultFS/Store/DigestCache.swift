import CXXHash
import FaultModel
import SystemIO

/// XXH3-128 digests of files, computed once for each recipe and each version of written bytes.
final class DigestCache {
  private var recipes: [Content: String] = [:]
  private var versions: [Version: String] = [:]

  /// A rig lives through many cards.
  private static let recipeLimit = 1 << 17

  private struct Version: Hashable {
    let volume: ObjectIdentifier
    let number: UInt64
  }

  func digest(of state: FileState, on volume: AnyObject) -> String {
    if let recipe = state.bytes.untouchedRecipe { return digest(of: recipe) }
    let version = Version(volume: ObjectIdentifier(volume), number: state.bytesVersion)
    if state.bytesVersion > 0, let known = versions[version] { return known }
    let digest = Self.digest(of: state.bytes)
    if state.bytesVersion > 0 { versions[version] = digest }
    return digest
  }

  func digest(of recipe: Content) -> String {
    if let known = recipes[recipe] { return known }
    let digest = recipe.digest()
    if recipes.count == Self.recipeLimit { recipes = [:] }
    recipes[recipe] = digest
    return digest
  }

  func forgetVersions(of volume: AnyObject) {
    let id = ObjectIdentifier(volume)
    versions = versions.filter { $0.key.volume != id }
  }

  private static let chunkByteCount = 1 << 20

  private static func digest(of bytes: FileBytes) -> String {
    guard let hash = XXH3_createState() else { preconditionFailure("no memory for a hash state") }
    defer { XXH3_freeState(hash) }
    XXH3_128bits_reset(hash)
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(min(UInt64(chunkByteCount), max(bytes.byteCount, 1))), alignment: 64)
    defer { chunk.deallocate() }
    var offset: UInt64 = 0
    while case let count = bytes.read(chunk, at: offset), count > 0 {
      XXH3_128bits_update(hash, chunk.baseAddress, count)
      offset += UInt64(count)
    }
    let value = XXH3_128bits_digest(hash)
    return hex(value.high64) + hex(value.low64)
  }

  private static func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
