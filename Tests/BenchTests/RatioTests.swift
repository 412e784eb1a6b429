import Testing

@testable import Bench

@Suite struct RatioTests {
  @Test("A ratio is shown as smallest, median and largest of its rounds")
  func spread() throws {
    let odd = try #require(Ratio([3, 1, 2]))
    #expect(odd.text == "1.00 / 2.00 / 3.00")
    let even = try #require(Ratio([0.5, 0.25, 1.004, 0.75]))
    #expect(even.text == "0.25 / 0.63 / 1.00")
    #expect(Ratio([]) == nil)
  }
}
