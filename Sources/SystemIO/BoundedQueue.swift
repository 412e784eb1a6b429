/// Elements in the order of their arrival, taken from the front in constant time on average.
struct Fifo<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var count: Int { elements.count - head }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func pop() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 256, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}

/// A first-in, first-out queue between threads that holds at most `bound` elements.
// @unchecked: `elements` and `isClosed` are touched only while `lock` is held.
public final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
  private static var hasElement: Int { 0 }
  private static var hasRoom: Int { 1 }

  private let lock = Lock(conditions: 2)
  private var elements = Fifo<Element>()
  private var isClosed = false
  /// The most elements that wait.
  public let bound: Int

  public init(bound: Int) {
    precondition(bound > 0, "A queue holds at least one element")
    self.bound = bound
  }

  /// Adds an element, blocking while the queue is full; false when it is closed.
  @discardableResult
  public func push(_ element: Element) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    while !isClosed && elements.count >= bound { lock.wait(Self.hasRoom) }
    return append(element)
  }

  /// Adds an element when there is room, without blocking; false when full or closed.
  public func tryPush(_ element: Element) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return elements.count < bound && append(element)
  }

  /// Adds an element whatever the bound; false when closed.
  ///
  /// For callers that wait for their own element to be done, and so bound the queue themselves.
  func pushBeyondBound(_ element: Element) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return append(element)
  }

  private func append(_ element: Element) -> Bool {
    if isClosed { return false }
    elements.append(element)
    lock.wakeOne(Self.hasElement)
    return true
  }

  /// Takes the oldest element, blocking while there is none; nil when closed and empty.
  public func pop() -> Element? {
    lock.lock()
    defer { lock.unlock() }
    while !isClosed && elements.count == 0 { lock.wait(Self.hasElement) }
    return take()
  }

  /// Takes the oldest element without blocking; nil when there is none.
  public func tryPop() -> Element? {
    lock.lock()
    defer { lock.unlock() }
    return take()
  }

  private func take() -> Element? {
    guard let element = elements.pop() else { return nil }
    if elements.count < bound { lock.wakeOne(Self.hasRoom) }
    return element
  }

  /// Refuses new elements; what is in the queue can still be taken.
  public func close() {
    lock.lock()
    defer { lock.unlock() }
    isClosed = true
    lock.wakeAll(Self.hasElement)
    lock.wakeAll(Self.hasRoom)
  }

  /// The number of waiting elements, for progress.
  public var count: Int {
    lock.lock()
    defer { lock.unlock() }
    return elements.count
  }
}
