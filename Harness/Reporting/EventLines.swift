public import HarnessKit

/// Hands every event on as a line of JSON, as `events.jsonl` has it.
public final class EventLines: Recorder {
  private let write: @Sendable ([UInt8]) -> Void

  public init(_ write: @escaping @Sendable ([UInt8]) -> Void) {
    self.write = write
  }

  public func record(_ event: Event) {
    write(event.json.line)
  }
}
