import FaultModel
import Glibc
import SystemIO

/// The bytes of one file on one layer: a recipe, and over it the pages that were written.
///
/// A value; copies share pages until one of them writes. Ranges outside recipe and pages are holes.
struct FileBytes {
  var byteCount: UInt64 = 0
  /// Blocks of 4 KiB that are allocated.
  var blocks: UInt64 = 0
  private var recipe: Content?
  /// The recipe holds below this offset, wherever no page lies over it.
  private var recipeEnd: UInt64 = 0
  var pages: [UInt64: Page] = [:]
  /// The file of a backed volume below the pages.
  var file: BackingFile?
  /// Writes go to the file itself: the volatile layer. Without it they go to pages over the file.
  var goesThrough = false

  static let pageSize = UInt64(Page.byteCount)

  init() {}

  init(_ content: Content) {
    recipe = content
    recipeEnd = content.byteCount
    byteCount = content.byteCount
    blocks = Self.blocks(of: content.byteCount)
  }

  init(_ file: BackingFile, byteCount: UInt64) {
    self.file = file
    self.byteCount = byteCount
    goesThrough = true
    blocks = Self.blocks(of: byteCount)
  }

  static func blocks(of byteCount: UInt64) -> UInt64 {
    let block = UInt64(Page.blockByteCount)
    return byteCount / block + (byteCount % block == 0 ? 0 : 1)
  }

  /// The recipe when the file is exactly what it makes.
  var untouchedRecipe: Content? {
    guard file == nil, let recipe, pages.isEmpty, recipeEnd == byteCount,
      recipe.byteCount == byteCount
    else {
      return nil
    }
    return recipe
  }

  // MARK: Reading

  /// Fills `target` from `offset` on, as far as the file goes, and returns how many bytes.
  @discardableResult
  func read(_ target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
    guard offset < byteCount, let base = target.baseAddress else { return 0 }
    let count = Int(min(UInt64(target.count), byteCount - offset))
    if pages.isEmpty {
      make(UnsafeMutableRawBufferPointer(start: base, count: count), offset)
      return count
    }
    forEachPart(offset, count) { number, inside, done, length in
      if let page = pages[number] {
        page.load(base + done, count: length, at: inside)
      } else {
        make(
          UnsafeMutableRawBufferPointer(start: base + done, count: length), offset + UInt64(done))
      }
    }
    return count
  }

  func bytes(at offset: UInt64, count: Int) -> [UInt8] {
    guard offset < byteCount else { return [] }
    let count = Int(min(UInt64(count), byteCount - offset))
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(UnsafeMutableRawBufferPointer(buffer), at: offset)
    }
  }

  /// What lies below the pages.
  private func make(_ target: UnsafeMutableRawBufferPointer, _ offset: UInt64) {
    var made = 0
    if let file {
      do throws(SystemError) {
        made = try file.read(target, at: offset)
      } catch {
        file.note(error)
      }
    } else if let recipe, offset < recipeEnd {
      let count = Int(min(UInt64(target.count), recipeEnd - offset))
      made = RecipeCache.shared.fill(
        UnsafeMutableRawBufferPointer(rebasing: target[..<count]), from: recipe, at: offset)
    }
    if made < target.count, let base = target.baseAddress {
      memset(base + made, 0, target.count - made)
    }
  }

  // MARK: Writing

  mutating func write(_ source: UnsafeRawBufferPointer, at offset: UInt64) {
    guard let base = source.baseAddress, !source.isEmpty else { return }
    if goesThrough {
      through { file throws(SystemError) in try file.write(source, at: offset) }
      byteCount = max(byteCount, offset + UInt64(source.count))
      blocks = Self.blocks(of: byteCount)
      return
    }
    forEachPart(offset, source.count) { number, inside, done, length in
      change(number) { $0.store(base + done, count: length, at: inside) }
    }
    byteCount = max(byteCount, offset + UInt64(source.count))
  }

  /// Cuts or lengthens; what is new is a hole.
  mutating func truncate(to newCount: UInt64) {
    if goesThrough {
      through { file throws(SystemError) in try file.truncate(to: newCount) }
      byteCount = newCount
      blocks = Self.blocks(of: newCount)
      return
    }
    if newCount < byteCount {
      let last = newCount / Self.pageSize
      let inside = Int(newCount % Self.pageSize)
      for number in pages.keys where number > last || (number == last && inside == 0) {
        drop(number)
      }
      if pages[last] != nil, inside > 0 {
        change(last) { page in
          page.clear(from: inside, to: Page.byteCount)
          page.blocks &= Page.mask(from: 0, to: inside)
        }
      }
      if recipeEnd > newCount {
        blocks -= bareRecipeBlocks(from: newCount)
        recipeEnd = newCount
      }
    }
    byteCount = newCount
  }

  /// Makes a range zero; blocks wholly inside are given back when `deallocates`.
  mutating func clear(_ range: ByteRange, deallocates: Bool) {
    let end = min(range.offset + range.count, (byteCount / Self.pageSize + 1) * Self.pageSize)
    guard range.offset < end else { return }
    if goesThrough {
      let zeros = [UInt8](repeating: 0, count: Page.byteCount)
      forEachPart(range.offset, Int(min(end, byteCount) - min(range.offset, byteCount))) {
        _, _, done, length in
        zeros.withUnsafeBytes { zeros in
          write(
            UnsafeRawBufferPointer(rebasing: zeros[..<length]), at: range.offset + UInt64(done))
        }
      }
      return
    }
    forEachPart(range.offset, Int(end - range.offset)) { number, inside, _, length in
      if file == nil, pages[number] == nil, !isInRecipe(number) { return }
      if length == Page.byteCount {
        let blocks = deallocates ? 0 : allocation(number)
        drop(number)
        coverRecipe(number, blocks: blocks)
      } else {
        change(number) { page in
          page.clear(from: inside, to: inside + length)
          if deallocates {
            let first = (inside + Page.blockByteCount - 1) / Page.blockByteCount
            let last = (inside + length) / Page.blockByteCount
            page.blocks &= ~Page.mask(
              from: first * Page.blockByteCount, to: last * Page.blockByteCount)
          }
        }
      }
    }
  }

  /// Allocates the blocks of a range without bytes.
  mutating func reserve(_ range: ByteRange) {
    if file != nil { return }
    forEachPart(range.offset, Int(range.count)) { number, inside, _, length in
      let mask = Page.mask(from: inside, to: inside + length)
      if allocation(number) & mask == mask { return }
      change(number) { $0.blocks |= mask }
    }
  }

  /// Puts a range back to what `other` holds there (zeros where it holds nothing), within this
  /// file's size.
  mutating func restore(_ range: ByteRange, from other: FileBytes?) {
    let end = min(range.offset + range.count, byteCount)
    guard range.offset < end else { return }
    clear(ByteRange(offset: range.offset, count: end - range.offset), deallocates: true)
    guard let other, other.byteCount > range.offset else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Page.byteCount, alignment: 16)
    defer { buffer.deallocate() }
    var offset = range.offset
    while offset < end {
      let step = Int(min(UInt64(Page.byteCount), end - offset))
      let count = other.read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<step]), at: offset)
      if count == 0 { break }
      write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
      offset += UInt64(count)
    }
  }

  // MARK: Allocation

  /// How many bytes of a write at `offset` fit into `free` blocks.
  func fitting(_ count: Int, at offset: UInt64, free: UInt64) -> Int {
    if file != nil {
      let last = (Self.blocks(of: byteCount) + free) * UInt64(Page.blockByteCount)
      return offset >= last ? 0 : Int(min(UInt64(count), last - offset))
    }
    var free = free
    var fits = 0
    forEachPart(offset, count) { number, inside, done, length in
      guard fits == done else { return }
      let missing = Page.mask(from: inside, to: inside + length) & ~allocation(number)
      if UInt64(missing.nonzeroBitCount) <= free {
        free -= UInt64(missing.nonzeroBitCount)
        fits += length
        return
      }
      var position = inside
      while position < inside + length {
        let next = min(
          (position / Page.blockByteCount + 1) * Page.blockByteCount, inside + length)
        if missing & Page.mask(from: position, to: next) != 0 {
          if free == 0 { break }
          free -= 1
        }
        fits += next - position
        position = next
      }
    }
    return fits
  }

  /// The first allocated (or, for `hole`, unallocated) byte at or after `offset`; nil at the end.
  func next(hole: Bool, from offset: UInt64) -> UInt64? {
    if file != nil { return hole || offset >= byteCount ? nil : offset }
    var position = offset
    while position < byteCount {
      let number = position / Self.pageSize
      let mask = allocation(number)
      let first = Int(position % Self.pageSize) / Page.blockByteCount
      for block in first..<Page.blockCount where (mask >> UInt16(block)) & 1 == (hole ? 0 : 1) {
        let start = number * Self.pageSize + UInt64(block * Page.blockByteCount)
        let found = max(start, offset)
        return found < byteCount ? found : nil
      }
      position = (number + 1) * Self.pageSize
      if !hole, position >= recipeEnd {
        guard let page = pages.keys.filter({ $0 > number }).min() else { return nil }
        position = page * Self.pageSize
      }
    }
    return nil
  }

  /// The ranges that `self` does not share with `other`: what was written since.
  func ranges(since other: FileBytes?) -> [ByteRange] {
    var ranges: [ByteRange] = []
    if file != nil {
      // What was overwritten is kept in the other's pages; the rest is what came behind its end.
      for number in (other?.pages ?? [:]).keys.sorted() {
        ranges.append(ByteRange(offset: number * Self.pageSize, count: Self.pageSize))
      }
      let known = other?.byteCount ?? 0
      if byteCount > known { ranges.append(ByteRange(offset: known, count: byteCount - known)) }
      return ranges
    }
    let changed = pages.filter { number, page in other?.pages[number] !== page }.keys.sorted()
    return changed.map { ByteRange(offset: $0 * Self.pageSize, count: Self.pageSize) }
  }

  // MARK: Pages

  private func isInRecipe(_ number: UInt64) -> Bool { number * Self.pageSize < recipeEnd }

  private func allocation(_ number: UInt64) -> UInt16 {
    if let page = pages[number] { return page.blocks }
    return recipeMask(number)
  }

  private func recipeMask(_ number: UInt64) -> UInt16 {
    let start = number * Self.pageSize
    guard start < recipeEnd else { return 0 }
    return Page.mask(from: 0, to: Int(min(recipeEnd - start, Self.pageSize)))
  }

  /// Blocks that a cut of the recipe at `offset` frees: those that no page lies over.
  private func bareRecipeBlocks(from offset: UInt64) -> UInt64 {
    var freed = Self.blocks(of: recipeEnd) - Self.blocks(of: offset)
    let first = offset / Self.pageSize
    for number in pages.keys where number >= first {
      let whole = recipeMask(number)
      let kept = number == first ? Page.mask(from: 0, to: Int(offset % Self.pageSize)) : 0
      freed -= UInt64((whole & ~kept).nonzeroBitCount)
    }
    return freed
  }

  func page(_ number: UInt64) -> Page? { pages[number] }

  /// A whole page that somebody else holds too.
  mutating func replace(_ number: UInt64, by page: Page) {
    blocks -= UInt64(allocation(number).nonzeroBitCount)
    pages[number] = page
    blocks += UInt64(page.blocks.nonzeroBitCount)
    byteCount = max(byteCount, (number + 1) * Self.pageSize)
  }

  mutating func change(_ number: UInt64, _ body: (Page) -> Void) {
    let page: Page
    if var held = pages.removeValue(forKey: number) {
      blocks -= UInt64(held.blocks.nonzeroBitCount)
      if !isKnownUniquelyReferenced(&held) { held = Page(copying: held) }
      page = held
    } else {
      page = Page()
      let start = number * Self.pageSize
      if file != nil {
        page.fill(0, count: Page.byteCount) { make($0, start) }
      } else if start < recipeEnd {
        blocks -= UInt64(recipeMask(number).nonzeroBitCount)
        page.fill(0, count: Int(min(recipeEnd - start, Self.pageSize))) { make($0, start) }
      }
    }
    body(page)
    blocks += UInt64(page.blocks.nonzeroBitCount)
    pages[number] = page
  }

  private mutating func drop(_ number: UInt64) {
    guard let page = pages.removeValue(forKey: number) else { return }
    blocks -= UInt64(page.blocks.nonzeroBitCount)
    blocks += UInt64(recipeMask(number).nonzeroBitCount)
  }

  /// An empty page over a part of the recipe.
  private mutating func coverRecipe(_ number: UInt64, blocks mask: UInt16) {
    if mask == 0, file == nil, !isInRecipe(number) { return }
    blocks -= UInt64(recipeMask(number).nonzeroBitCount)
    let page = Page()
    page.blocks = mask
    blocks += UInt64(mask.nonzeroBitCount)
    pages[number] = page
  }
}
