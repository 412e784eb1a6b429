import FaultModel
import Glibc
import HarnessKit
import Subjects
import Synchronization
import SystemIO
import Testing

/// What every subject must satisfy, on plain folders: the shipped engine and the honest saboteur,
/// as a worker and as a process of its own.
@Suite(.serialized, .enabled(if: Bench.hasBinaries, "harness and custody are not built"))
struct SubjectConformanceTests {
  @Test("a whole card is claimed row by row, and the exit code agrees", arguments: Bench.ways)
  func copies(way: Bench.Way) throws {
    try Bench.with(way) { bench in
      let outcome = try bench.run()
      #expect(outcome.report.isPresent)
      #expect(Set(outcome.report.rows.map(\.path)) == Set(Bench.files.map(\.path)))
      #expect(outcome.report.rows.allSatisfy { $0.destination == "dst" })
      #expect(outcome.report.rows.allSatisfy { $0.outcome == .verified && $0.level == "evicted" })
      #expect(outcome.ending == .exited(0))
      #expect(outcome.report.problems.isEmpty)
      #expect(outcome.leaks.isEmpty, "\(outcome.leaks)")
      for file in Bench.files {
        let copy = try FileSystem.contents(of: bench.destination.appending(file.path))
        #expect(copy == file.bytes)
      }
    }
  }

  @Test(
    "ready is called once, with the process id, before anything is written",
    arguments: Bench.ways)
  func ready(way: Bench.Way) throws {
    try Bench.with(way) { bench in
      let calls = Mutex<[Int32]>([])
      let run = try bench.subject.start(bench.task()) { (process) throws(SubjectFailure) in
        calls.withLock { $0.append(process) }
        // A process that did not wait would be done by now.
        usleep(100_000)
        let names = (try? PinnedDirectory.open(bench.destination).list().count) ?? -1
        #expect(names == 0)
        #expect(kill(process, 0) == 0)
      }
      #expect(try run.wait().ending == .exited(0))
      #expect(calls.withLock { $0 } == [run.processID])
    }
  }

  @Test(
    "design 2: a subject is the first process of namespaces of its own",
    .enabled(if: Enclosure.problem == nil, "namespaces cannot be made here"),
    arguments: Bench.ways)
  func enclosed(way: Bench.Way) throws {
    try Bench.with(way) { bench in
      let seen = Mutex<[String]>([])
      let run = try bench.subject.start(bench.task()) { (process) throws(SubjectFailure) in
        let status = (try? FileSystem.contents(of: BytePath("/proc/\(process)/status"))) ?? []
        let numbers = String(decoding: status, as: UTF8.self).split(separator: "\n")
          .first { $0.hasPrefix("NSpid:") }?.split(whereSeparator: \.isWhitespace)
        seen.withLock { list in
          list.append(String(numbers?.last ?? ""))
          for kind in ["pid", "mnt"] {
            let own = try? FileSystem.readLink(BytePath("/proc/self/ns/\(kind)"))
            let its = try? FileSystem.readLink(BytePath("/proc/\(process)/ns/\(kind)"))
            list.append(own == its ? "shared" : "apart")
          }
        }
      }
      #expect(seen.withLock { $0 } == ["1", "apart", "apart"])
      #expect(try run.wait().ending == .exited(0))
    }
  }

  @Test("what ready throws is passed on, and nothing was copied", arguments: Bench.ways)
  func refused(way: Bench.Way) throws {
    try Bench.with(way) { bench in
      var process: Int32 = 0
      let task = try bench.task()
      #expect(throws: SubjectFailure.self) {
        _ = try bench.subject.start(task) { (id) throws(SubjectFailure) in
          process = id
          throw SubjectFailure("the rig says no")
        }
      }
      #expect(try PinnedDirectory.open(bench.destination).list().isEmpty)
      bench.subject.finish()
      #expect(kill(process, 0) != 0)
    }
  }

  @Test("a second job finds what the first one left", arguments: Bench.ways)
  func twice(way: Bench.Way) throws {
    try Bench.with(way) { bench in
      #expect(try bench.run().ending == .exited(0))
      let again = try bench.run()
      #expect(again.ending == .exited(0))
      #expect(again.report.rows.count == Bench.files.count)
      #expect(again.leaks.isEmpty, "\(again.leaks)")
    }
  }

  @Test("a wrong command line is exit 2, and no report", arguments: Bench.ways)
  func usage(way: Bench.Way) throws {
    try Bench.with(way) { bench in
      let outcome = try bench.run(arguments: ["--nonsense"])
      #expect(outcome.ending == .exited(2))
      #expect(!outcome.report.isPresent)
    }
  }

  @Test("a refusal is exit 3 with its reason", arguments: Bench.ways)
  func preflight(way: Bench.Way) throws {
    try Bench.with(way) { bench in
      let outcome = try bench.run(headroom: 1 << 60)
      #expect(outcome.ending == .exited(3))
      #expect(outcome.report.verdict == "refused")
      #expect(!outcome.report.problems.isEmpty)
    }
  }

  @Test("a kill shows as the signal, and the next run starts anew", arguments: Bench.ways)
  func killed(way: Bench.Way) throws {
    try Bench.with(way) { bench in
      let run = try bench.subject.start(bench.task()) { process in kill(process, SIGKILL) }
      #expect(try run.wait().ending == .signalled(SIGKILL, byRig: false))
      #expect(try bench.run().ending == .exited(0))
    }
  }

  @Test("a stopped subject is given up at its deadline and is gone then", arguments: Bench.ways)
  func deadline(way: Bench.Way) throws {
    try Bench.with(way) { bench in
      let run = try bench.subject.start(bench.task(deadline: 0.3)) { process in
        kill(process, SIGSTOP)
      }
      #expect(try run.wait().ending == .deadline)
      #expect(kill(run.processID, 0) != 0)
      #expect(try bench.run().ending == .exited(0))
    }
  }

  @Test("names that are not plain text go through as bytes", arguments: Bench.ways)
  func bytes(way: Bench.Way) throws {
    try Bench.with(way, folder: BytePath(Array("d \u{e9}\n\"\\".utf8)) ?? "") { bench in
      let outcome = try bench.run()
      #expect(outcome.ending == .exited(0))
    }
  }

  @Test("the leaking saboteur's descriptor is seen in a worker")
  func leak() throws {
    let saboteur = try #require(Saboteur.named("leaks-descriptor"))
    try Bench.with(.init(name: saboteur.name, isFresh: false)) { bench in
      let outcome = try bench.run()
      #expect(outcome.leaks == ["a descriptor of /dev/null"])
    }
  }

  @Test("the hanging saboteur is given up at its deadline", arguments: [true, false])
  func hang(isFresh: Bool) throws {
    let saboteur = try #require(Saboteur.named("hangs"))
    try Bench.with(.init(name: saboteur.name, isFresh: isFresh)) { bench in
      let outcome = try bench.run(deadline: 0.5)
      #expect(outcome.ending == .deadline)
    }
  }

  @Test("a binary of another build is refused")
  func foreignBuild() {
    #expect(throws: SubjectFailure.self) {
      _ = try OffloadSubject.make(custody: "/bin/echo")
    }
    #expect(throws: SubjectFailure.self) {
      _ = try OffloadSubject.make(custody: "/nonexistent/custody")
    }
  }
}
