import Testing

@testable import SystemIO

@Suite struct RandomTests {
  @Test("SplitMix64 gives the published numbers for seed 1234567")
  func splitMix() {
    var random = SplitMix64(state: 1_234_567)
    #expect(
      (0..<5).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test("xoshiro256** gives the published numbers for state 1, 2, 3, 4")
  func xoshiro() {
    var random = SeededRandom(state: (1, 2, 3, 4))
    #expect(
      (0..<10).map { _ in random.next() } == [
        11520, 0, 1_509_978_240, 1_215_971_899_390_074_240, 1_216_172_134_540_287_360,
        607_988_272_756_665_600, 16_172_922_978_634_559_625, 8_476_171_486_693_032_832,
        10_595_114_339_597_558_777, 2_904_607_092_377_533_576,
      ])
  }
}
