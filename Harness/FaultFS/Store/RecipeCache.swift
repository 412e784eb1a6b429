import FaultModel
import Synchronization

/// Pages of recipes that were made last: the files of a small card are read again and again, and a
/// keystream takes longer than a copy.
final class RecipeCache: Sendable {
  static let shared = RecipeCache()

  /// So many bytes are kept; then all are made anew.
  private static let limit = 32 << 20
  /// A larger file is read in one go and would only push the others out.
  static let largestFile: UInt64 = 1 << 20

  private struct Key: Hashable {
    let content: Content.Key
    let page: UInt64
  }

  private struct State {
    var pages: [Key: [UInt8]] = [:]
    var byteCount = 0
  }

  private let state = Mutex(State())

  /// Fills `target` with what the recipe holds from `offset` on, as far as it goes.
  ///
  /// - Returns: how many bytes.
  func fill(_ target: UnsafeMutableRawBufferPointer, from recipe: Content, at offset: UInt64) -> Int
  {
    guard recipe.byteCount <= Self.largestFile, target.count >= Self.leastByteCount else {
      return recipe.fill(target, at: offset)
    }
    guard offset < recipe.byteCount, let base = target.baseAddress else { return 0 }
    let size = UInt64(Page.byteCount)
    let count = Int(min(UInt64(target.count), recipe.byteCount - offset))
    var done = 0
    while done < count {
      let place = offset + UInt64(done)
      let inside = Int(place % size)
      let length = min(count - done, Page.byteCount - inside)
      load(base + done, length, recipe, page: place / size, inside)
      done += length
    }
    return count
  }

  /// The bytes of a small range, cut at the end of the file; they come from a page that is kept, if
  /// there is one.
  func bytes(of recipe: Content, at offset: UInt64, count: Int) -> [UInt8] {
    let key = Key(content: recipe.key, page: offset / UInt64(Page.byteCount))
    let inside = Int(offset % UInt64(Page.byteCount))
    let available =
      offset < recipe.byteCount ? Int(min(UInt64(count), recipe.byteCount - offset)) : 0
    let kept: [UInt8]? = state.withLock { state in
      guard let held = state.pages[key], held.count >= inside + available else { return nil }
      return Array(held[inside..<inside + available])
    }
    return kept ?? recipe.bytes(at: offset, count: count)
  }

  /// For less the keystream is as fast.
  private static let leastByteCount = 1024

  private func load(
    _ target: UnsafeMutableRawPointer, _ count: Int, _ recipe: Content, page: UInt64, _ inside: Int
  ) {
    state.withLock { state in
      let key = Key(content: recipe.key, page: page)
      // The same keystream may be cut at several sizes: what is too short is made anew.
      if let held = state.pages[key], held.count >= inside + count {
        return Self.copy(held, inside, count, to: target)
      }
      let made = recipe.bytes(at: page * UInt64(Page.byteCount), count: Page.byteCount)
      Self.copy(made, inside, count, to: target)
      if state.byteCount > Self.limit { state = State() }
      state.byteCount += made.count - (state.pages.updateValue(made, forKey: key)?.count ?? 0)
    }
  }

  private static func copy(
    _ bytes: [UInt8], _ inside: Int, _ count: Int, to target: UnsafeMutableRawPointer
  ) {
    bytes.withUnsafeBytes { bytes in
      UnsafeMutableRawBufferPointer(start: target, count: count)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[inside..<inside + count]))
    }
  }
}
