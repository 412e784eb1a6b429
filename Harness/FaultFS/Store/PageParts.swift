/// Cuts a range at page bounds: page number, offset inside it, bytes done before, length.
func forEachPart(
  _ offset: UInt64, _ count: Int, _ body: (UInt64, Int, Int, Int) -> Void
) {
  var done = 0
  while done < count {
    let position = offset + UInt64(done)
    let inside = Int(position % UInt64(Page.byteCount))
    let length = min(count - done, Page.byteCount - inside)
    body(position / UInt64(Page.byteCount), inside, done, length)
    done += length
  }
}
