import FaultModel
import SystemIO
import Testing

private func dst(_ pattern: String) -> Target { Target(volume: "dst", subject: .glob(pattern)) }
private func src(_ pattern: String) -> Target { Target(volume: "src", subject: .glob(pattern)) }

/// A rule and the effect that it must give.
struct EffectExample: CustomTestStringConvertible, Sendable {
  let text: String
  let effect: Effect
  var testDescription: String { text }

  init(_ text: String, _ effect: Effect) {
    self.text = text
    self.effect = effect
  }

  static let all: [EffectExample] = failures + data + volumes + reports + process

  private static let failures: [EffectExample] = [
    EffectExample(
      "fail write,fsync dst:a with ENOSPC",
      .fail([.write, .fsync], dst("a"), .noSpace, forced: false, .plain)),
    EffectExample(
      "fail write dst:a with EAGAIN forced",
      .fail([.write], dst("a"), Errno(rawValue: 11), forced: true, .plain)),
    EffectExample(
      "fail link dst:a performed with EEXIST",
      .fail([.link], dst("a"), .fileExists, forced: false, .performed)),
    EffectExample(
      "fail fsync dst:a with EIO forgetting",
      .fail([.fsync], dst("a"), .inputOutput, forced: false, .forgetting)),
    EffectExample(
      "fail close dst:a with EDQUOT losing last 4KiB",
      .fail([.close], dst("a"), .quotaExceeded, forced: false, .losing(lastBytes: 4096))),
    EffectExample(
      "fail link dst:a with EOPNOTSUPP",
      .fail([.link], dst("a"), .notSupported, forced: false, .plain)),
    EffectExample(
      "fail setattr.times dst:\"a *\\xff\" with EPERM",
      .fail(
        [.setattrTimes],
        Target(volume: "dst", subject: .path(BytePath([0x61, 0x20, 0x2a, 0xff]) ?? "")),
        .notPermitted, forced: false, .plain)),
    EffectExample(
      "fail open dst:~a/*.mov with EMFILE",
      .fail(
        [.open], Target(volume: "dst", subject: .content(.glob("a/*.mov"))),
        Errno(rawValue: 24), forced: false, .plain)),
    EffectExample(
      "fail open dst:~\"a b\" with EIO",
      .fail(
        [.open], Target(volume: "dst", subject: .content(.path("a b"))), .inputOutput,
        forced: false, .plain)),
    EffectExample(
      "fail create dst:<tmp#2> with EIO",
      .fail(
        [.create], Target(volume: "dst", subject: .temporary(2)), .inputOutput, forced: false,
        .plain)),
    EffectExample(
      "fail unlink dst:<marker#1> with EIO",
      .fail(
        [.unlink], Target(volume: "dst", subject: .marker(1)), .inputOutput, forced: false,
        .plain)),
  ]

  private static let data: [EffectExample] = [
    EffectExample("short read src:a bytes 0", .short(.read, src("a"), byteCount: 0)),
    EffectExample("short copyrange dst:a", .short(.copyrange, dst("a"), byteCount: nil)),
    EffectExample("torn write dst:a bytes 512", .tornWrite(dst("a"), byteCount: 512)),
    EffectExample("corrupt read dst:a as zeros", .corrupt(.read, dst("a"), .zeros)),
    EffectExample("corrupt write dst:a", .corrupt(.write, dst("a"), .flip)),
    EffectExample("corrupt write dst:a as swapped", .corrupt(.write, dst("a"), .swapped)),
    EffectExample("corrupt write dst:a as junk", .corrupt(.write, dst("a"), .junk)),
    EffectExample("drop fsync,fsyncdir dst:**", .drop([.fsync, .fsyncdir], dst("**"))),
    EffectExample("lose write dst:a", .lose([.write], dst("a"))),
    EffectExample("misdirect write dst:a to 0", .misdirectWrite(dst("a"), .offset(0))),
    EffectExample(
      "misdirect write dst:a to dst:b", .misdirectWrite(dst("a"), .target(dst("b")))),
    EffectExample("stale read dst:a for 2s", .stale(.read, dst("a"), milliseconds: 2000)),
    EffectExample("stale stat dst:a", .stale(.stat, dst("a"), milliseconds: nil)),
    EffectExample("delay write dst:a for 5ms", .delay([.write], dst("a"), milliseconds: 5)),
    EffectExample(
      "hang read,write dst:a for 1m", .hang([.read, .write], dst("a"), milliseconds: 60000)),
    EffectExample("swap inode dst:a bytes same", .swapInode(dst("a"), bytes: .same)),
    EffectExample("swap inode dst:a", .swapInode(dst("a"), bytes: .different)),
    EffectExample("hide src:a", .hide(src("a"))),
    EffectExample("duplicate src:a", .duplicate(src("a"))),
  ]

  private static let volumes: [EffectExample] = [
    EffectExample("full dst", .full(volume: "dst")),
    EffectExample("readonly dst", .readOnly(volume: "dst")),
    EffectExample("eject dst", .eject(volume: "dst")),
    EffectExample("remount dst", .remount(volume: "dst")),
    EffectExample("insert dst", .insert(volume: "dst", other: nil)),
    EffectExample("insert dst as src", .insert(volume: "dst", other: "src")),
    EffectExample("crash dst,src keep subsets", .crash(volumes: ["dst", "src"], .subsets)),
    EffectExample("crash dst keep only 7,2,2", .crash(volumes: ["dst"], .only([2, 7]))),
    EffectExample("crash dst keep all", .crash(volumes: ["dst"], .all)),
    EffectExample("crash dst", .crash(volumes: ["dst"], .none)),
    EffectExample(
      "change src:a write 0+8KiB restore-times",
      .change(src("a"), .write(ByteRange(offset: 0, count: 8192)), restoreTimes: true)),
    EffectExample(
      "change src:a append 4KiB", .change(src("a"), .append(4096), restoreTimes: false)),
    EffectExample("change src:a truncate 1", .change(src("a"), .truncate(1), restoreTimes: false)),
    EffectExample("change src:a replace", .change(src("a"), .replace, restoreTimes: false)),
    EffectExample(
      "change src:a symlink \"../b c\"", .change(src("a"), .symlink("../b c"), restoreTimes: false)),
    EffectExample("change src:a remove", .change(src("a"), .remove, restoreTimes: false)),
    EffectExample("change src:a add", .change(src("a"), .add, restoreTimes: false)),
    EffectExample("clock dst -60m", .clock(volume: "dst", milliseconds: -3_600_000)),
    EffectExample("clock dst +5s", .clock(volume: "dst", milliseconds: 5000)),
  ]

  private static let reports: [EffectExample] = [
    EffectExample(
      "report stat src:a size 24MiB",
      .report(.stat(src("a"), field: "size", value: "25165824"))),
    EffectExample(
      "report stat src:a mtime 1970-01-01T00:00:01Z",
      .report(.stat(src("a"), field: "mtime", value: "1000000000"))),
    EffectExample(
      "report stat src:a mode 0644", .report(.stat(src("a"), field: "mode", value: "420"))),
    EffectExample(
      "report readdir src:** type unknown",
      .report(.readdir(src("**"), field: "type", value: "unknown"))),
    EffectExample(
      "report statfs dst free 1GiB",
      .report(.statfs(volume: "dst", field: "free", value: 1 << 30))),
    EffectExample(
      "report lseek src:a hole 1MiB+1MiB",
      .report(.lseek(src("a"), hole: true, ByteRange(offset: 1 << 20, count: 1 << 20)))),
    EffectExample(
      "report lseek src:a data 0+1",
      .report(.lseek(src("a"), hole: false, ByteRange(offset: 0, count: 1)))),
  ]

  private static let process: [EffectExample] = [
    EffectExample("kill subject", .killSubject),
    EffectExample("terminate subject", .terminateSubject),
    EffectExample("stop subject for 2s", .stopSubject(milliseconds: 2000)),
    EffectExample("limit subject descriptors 16", .limitSubject(.descriptors, 16)),
    EffectExample("limit subject memory 1000", .limitSubject(.memory, 1000)),
    EffectExample("limit subject stdout 5", .limitSubject(.stdout, 5)),
  ]
}

/// A rule and the clauses that it must give.
struct ClauseExample: CustomTestStringConvertible, Sendable {
  let text: String
  let set: @Sendable (inout Clauses) -> Void
  var testDescription: String { text }

  init(_ text: String, _ set: @escaping @Sendable (inout Clauses) -> Void) {
    self.text = text
    self.set = set
  }

  static let all: [ClauseExample] = [
    ClauseExample("fail read src:a with EIO nth 3") { $0.nth = 3 },
    ClauseExample("fail read src:a with EIO every 5") { $0.every = 5 },
    ClauseExample("fail read src:a with EIO from 1MiB") { $0.from = 1 << 20 },
    ClauseExample("fail read src:a with EIO range 1KiB+2") {
      $0.range = ByteRange(offset: 1024, count: 2)
    },
    ClauseExample("full dst after 1MiB") { $0.afterBytes = 1 << 20 },
    ClauseExample("corrupt read dst:a after eviction") { $0.afterEviction = true },
    ClauseExample("full dst at 50%") { $0.percent = 50 },
    ClauseExample("crash dst at every op") { $0.atEveryOperation = true },
    ClauseExample("hide src:a pass 2") { $0.pass = 2 },
    ClauseExample("fail close dst:a with EIO by reader") { $0.by = .reader },
    ClauseExample("fail close dst:a with EIO by writer") { $0.by = .writer },
    ClauseExample("fail close dst:a with EIO by handle 2") { $0.by = .handle(2) },
    ClauseExample("swap inode src:a between stat and open") {
      $0.between = Clauses.Between(
        first: .operation(.stat, nil, nth: nil), second: .operation(.open, nil, nth: nil))
    },
    ClauseExample("swap inode src:a between scan and read src:b nth 2") {
      $0.between = Clauses.Between(
        first: .phase(.scan, of: nil), second: .operation(.read, src("b"), nth: 2))
    },
    ClauseExample("full dst before first-data of dst:~a") {
      $0.timing = .before(
        .phase(.firstData, of: Target(volume: "dst", subject: .content(.glob("a")))))
    },
    ClauseExample("readonly dst after write nth 5") {
      $0.timing = .after(.operation(.write, nil, nth: 5))
    },
    ClauseExample("eject dst after done") { $0.timing = .after(.phase(.done, of: nil)) },
    ClauseExample("fail read src:a with EIO chance 0.25") { $0.chance = 0.25 },
    ClauseExample("fail rename dst:a with EIO as old") { $0.renameSide = .old },
    ClauseExample("fail rename dst:a as new with EIO") { $0.renameSide = .new },
    ClauseExample("fail readdir src:a entry 3 with EIO") { $0.entry = 3 },
    ClauseExample("full dst at 50% of dst:a") {
      $0.percent = 50
      $0.of = dst("a")
    },
    ClauseExample("full dst once") { $0.repetition = .once },
    ClauseExample("fail read src:a with EIO times 2") { $0.repetition = .times(2) },
    ClauseExample("fail read src:a with EIO always") { $0.repetition = .always },
    ClauseExample("fail lseek src:a with EINVAL maybe") { $0.maybe = true },
    ClauseExample("full dst after 1MiB after write nth 2") {
      $0.afterBytes = 1 << 20
      $0.timing = .after(.operation(.write, nil, nth: 2))
    },
  ]
}
