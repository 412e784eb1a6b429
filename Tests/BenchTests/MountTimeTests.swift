import SystemIO
import Testing
import Wire

@testable import Bench

/// The comparison of mounts, from times as a client would tell them.
@Suite struct MountTimeTests {
  /// Rounds in which every step of a backed volume takes so many times what the plain one takes.
  private static func times(_ ratios: [UInt64]) -> FaultFSBench.Times {
    func steps(_ factor: UInt64) -> [MountStep: MountTime] {
      Dictionary(
        uniqueKeysWithValues: MountStep.allCases.map { step in
          (step, MountTime(count: 10, wall: 1000 * factor, client: 100, server: 200 * factor))
        })
    }
    return [
      .twin: ratios.map { _ in steps(100) }, .backed: ratios.map(steps),
      .memory: ratios.map { _ in steps(50) },
    ]
  }

  @Test(
    "A group is too slow when its median is above the bound, whatever one round says",
    arguments: [([105, 110, 900], false), ([90, 111, 112], true), ([110], false)])
  func bound(ratios: [UInt64], isTooMuch: Bool) {
    for group in MountStep.Group.allCases {
      let text = FaultFSBench.verdict(group, Self.times(ratios))
      #expect(text.hasSuffix("TOO MUCH") == isTooMuch, "\(text)")
    }
  }

  @Test("A step's ratio is of the same round, a group's of the sum of its steps")
  func pairs() {
    let json = FaultFSBench.json(Self.times([50, 200, 100]))
    for name in MountStep.allCases.map(\.rawValue) + ["sequential", "small"] {
      let wall = json[name]?["backed"]?["wallRatio"]
      #expect(wall?["min"]?.double == 0.5 && wall?["median"]?.double == 1)
      #expect(wall?["max"]?.double == 2)
      #expect(json[name]?["memory"]?["wallRatio"]?["median"]?.double == 0.5)
    }
    let processor = json["write"]?["backed"]?["cpuRatio"]?["max"]?.double ?? 0
    #expect(processor == Double(100 + 200 * 200) / Double(100 + 200 * 100))
  }

  @Test("The work folder must be in memory")
  func onDisk() {
    let settings = Bench.Settings(custody: "/x", folder: "/x", memoryFolder: "/proc")
    #expect {
      _ = try Bench.run("faultfs", settings) { _ in }
    } throws: { error in
      "\(error)" == "/proc is not on a tmpfs"
    }
  }
}
