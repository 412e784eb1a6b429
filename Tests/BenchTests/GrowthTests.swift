import Glibc
import SystemIO
import Testing

@testable import Bench

@Suite struct GrowthTests {
  /// A process that is looked at a hundred times in a run of 10,000 schedules.
  private static func growth(
    _ change: (inout ProcessSample, Double) -> Void
  ) throws -> Growth {
    let own = try #require(ProcessSample(process: getpid()))
    let samples = (0..<100).map { step in
      var sample = own
      sample.descriptors = 20
      sample.threads = 3
      sample.children = [7]
      sample.anonymousBytes = 50 << 20
      change(&sample, Double(step) / 100)
      return (time: Duration.seconds(step), sample: sample)
    }
    return try #require(Growth(samples, seconds: 100, schedules: 10_000))
  }

  @Test("What a schedule holds for a moment is no growth")
  func steady() throws {
    var step = 0
    let growth = try Self.growth { sample, _ in
      step += 1
      if step % 3 == 0 { sample.descriptors += 9 }
      if step % 4 == 0 { sample.children.append(8) }
      if step % 5 == 0 { sample.anonymousBytes += 30 << 20 }
    }
    #expect(growth.problems.isEmpty)
  }

  @Test("One descriptor, thread, child, or a few bytes a schedule are named")
  func growing() throws {
    let descriptors = try Self.growth { $0.descriptors += $1 > 0.5 ? 1 : 0 }
    #expect(descriptors.problems.contains { $0.contains("descriptors") })
    let threads = try Self.growth { $0.threads += $1 > 0.5 ? 1 : 0 }
    #expect(threads.problems.contains { $0.contains("threads") })
    let children = try Self.growth { if $1 > 0.5 { $0.children.append(9) } }
    #expect(children.problems.contains { $0.contains("children") })
    let memory = try Self.growth { $0.anonymousBytes += Int64($1 * 10_000 * 400) }
    #expect(memory.problems.contains { $0.contains("memory") })
    #expect((300..<500).contains(memory.bytesPerSchedule))
  }

  @Test("What grows before the run is warm is not counted, and a process that ends early is none")
  func warm() throws {
    let growth = try Self.growth { $0.anonymousBytes -= $1 < 0.2 ? 40 << 20 : 0 }
    #expect(growth.problems.isEmpty)
    let own = try #require(ProcessSample(process: getpid()))
    let short = (0..<50).map { (time: Duration.seconds($0), sample: own) }
    #expect(Growth(short, seconds: 100, schedules: 10) == nil)
  }

  @Test("A process is seen with its descriptors, threads, children and memory")
  func sample() throws {
    let before = try #require(ProcessSample(process: getpid()))
    let pipe = try FileDescriptor.pipe()
    var child = try ChildProcess.spawn(
      ChildProcess.Command("/bin/sleep", [Array("60".utf8)]), descriptors: [])
    let after = try #require(ProcessSample(process: getpid()))
    #expect(after.children.contains(child.pid) && !before.children.contains(child.pid))
    #expect(after.descriptors > 0 && after.threads > 0 && after.anonymousBytes > 1 << 20)
    try child.kill(.kill)
    _ = try child.wait()
    #expect(ProcessSample(process: child.pid) == nil)
    _ = pipe
  }
}
