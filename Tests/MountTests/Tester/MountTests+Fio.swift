import FaultModel
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// fio writes and verifies on a volume without faults, and with one that it must see.
  @Suite struct Fio {
    private static let program: BytePath = "/usr/bin/fio"
    typealias Scratch = TesterScratch

    struct Job: Sendable, CustomTestStringConvertible {
      let name: String
      let words: [String]
      /// How a second process reads it back after a remount; nil where the blocks overlap.
      let again: [String]?
      var testDescription: String { name }
    }

    static let jobs: [Job] = [
      Job(
        name: "sequential", words: "--rw=write --bs=64k --verify=crc32c --ioengine=psync",
        again: "--rw=read --bs=64k --verify=crc32c --ioengine=psync"),
      Job(
        name: "random", words: "--rw=randwrite --bs=4k --verify=xxhash --ioengine=psync --fsync=32",
        again: "--rw=randread --bs=4k --verify=xxhash --ioengine=psync"),
      Job(
        name: "unaligned",
        words: "--rw=randrw --bsrange=512-16k --bs_unaligned --verify=crc32c --ioengine=psync"),
      Job(
        name: "mapped", words: "--rw=randwrite --bs=4k --verify=xxhash --ioengine=mmap",
        again: "--rw=read --bs=4k --verify=xxhash --ioengine=psync"),
      Job(
        name: "read-mapped", words: "--rw=write --bs=16k --verify=crc32c --ioengine=psync",
        again: "--rw=randread --bs=16k --verify=crc32c --ioengine=mmap"),
      Job(
        name: "direct",
        words: "--rw=randwrite --bs=16k --verify=crc32c --ioengine=libaio --iodepth=8 --direct=1",
        again: "--rw=read --bs=16k --verify=crc32c --ioengine=psync --direct=1"),
      Job(
        name: "ring", words: "--rw=randrw --bs=8k --verify=xxhash --ioengine=io_uring --iodepth=4"),
      Job(
        name: "many",
        words:
          "--rw=write --bs=4k --verify=sha256 --ioengine=psync --nrfiles=16 --numjobs=3 --end_fsync=1",
        again: "--rw=read --bs=4k --verify=sha256 --ioengine=psync --nrfiles=16 --numjobs=3"),
      Job(
        name: "overwritten",
        words: "--rw=randwrite --bs=4k --verify=crc32c --ioengine=psync --norandommap --loops=2"),
    ]

    /// Runs jobs side by side.
    private static func run(
      _ jobs: [(name: String, words: [String])], _ scratch: Scratch
    ) throws -> Scratch.End {
      try scratch.run(
        program,
        [
          "--directory=\(scratch.place.escaped)", "--size=\(2 * Scratch.factor)M",
          "--fallocate=none", "--do_verify=1", "--verify_fatal=1", "--verify_dump=0", "--minimal",
        ] + jobs.flatMap { ["--name=\($0.name)"] + $0.words },
        within: .seconds(60 + Scratch.factor))
    }

    /// Writes and verifies, then has other processes read what a remount has cleared out of every
    /// cache.
    private static func verify(_ jobs: [Job], _ scratch: Scratch) throws -> [Scratch.End] {
      let written = try run(jobs.map { ($0.name, $0.words) }, scratch)
      try scratch.rig.client.remount("dst")
      let again = jobs.compactMap { job in job.again.map { (job.name, $0) } }
      return [written, try run(again, scratch)]
    }

    @Test(
      "FaultFS without faults keeps what fio writes, by its digests",
      arguments: Scratch.Store.allCases, [CachePolicy.none, .kernel])
    func keeps(store: Scratch.Store, cache: CachePolicy) throws {
      let scratch = try Scratch(store, cache: cache)
      for end in try Self.verify(Self.jobs, scratch) {
        #expect(end.status == .exited(0), "\(end.text)")
      }
      #expect(try PinnedDirectory.open(scratch.place).list().count > Self.jobs.count)
      try scratch.end()
    }

    @Test(
      "fio sees a volume that is broken",
      arguments: [
        ("sequential", "corrupt read dst:** as flip every 9 always"),
        ("random", "drop write dst:** every 50 always"),
        ("mapped", "corrupt write dst:** as junk always"),
        ("direct", "misdirect write dst:** to 0B every 20 always"),
      ], Scratch.Store.allCases)
    func broken(row: (job: String, rule: String), store: Scratch.Store) throws {
      let job = try #require(Self.jobs.first { $0.name == row.job })
      let scratch = try Scratch(store, rules: [row.rule])
      let failed = try Self.verify([job], scratch).filter { $0.status != .exited(0) }
      #expect(failed.contains { $0.text.contains("verify") })
      #expect(try scratch.rig.client.status().fired[0] ?? 0 > 0)
      try scratch.end()
    }
  }
}

extension MountTests.Fio.Job {
  fileprivate init(name: String, words: String, again: String? = nil) {
    self.init(
      name: name, words: words.split(separator: " ").map(String.init),
      again: again?.split(separator: " ").map(String.init))
  }
}
