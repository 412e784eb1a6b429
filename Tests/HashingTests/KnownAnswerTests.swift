import Hashing
import Testing

/// Known answers. md5, sha1, xxh64, xxh3, xxh128 and c4: computed with the reference ASC MHL tool
/// (ascmhl, MIT) and xxhsum 0.8.1. sha256 and sha512 of nothing and of `abc`: FIPS 180-4 examples;
/// of the zeros: GNU coreutils' sha256sum and sha512sum.
@Suite struct KnownAnswerTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    let answers: [HashAlgorithm: String]
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "nothing", bytes: [],
      answers: [
        .md5: "d41d8cd98f00b204e9800998ecf8427e",
        .sha1: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        .sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        .sha512: "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
          + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
        .xxh64: "ef46db3751d8e999", .xxh3: "2d06800538d394c2",
        .xxh128: "99aa06d3014798d86001c324468d497f",
        .c4:
          "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1"
          + "sFT",
      ]),
    Case(
      name: "abc", bytes: Array("abc".utf8),
      answers: [
        .md5: "900150983cd24fb0d6963f7d28e17f72",
        .sha1: "a9993e364706816aba3e25717850c26c9cd0d89d",
        .sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        .sha512: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        .xxh64: "44bc2cf5ad770999", .xxh3: "78af5f94892f3950",
        .xxh128: "06b05ab6733a618578af5f94892f3950",
        .c4:
          "c45S4rnaTNWonxss1u8LzsaJdEph1AJhWUF4sh2waXKMsutyfAxg4ybUeuXVWS9HdNcEypmeXn8FZGonD4w1rj9D"
          + "Zp",
      ]),
    Case(
      name: "1,048,577 zero bytes", bytes: [UInt8](repeating: 0, count: 1_048_577),
      answers: [
        .md5: "9587b149ff392ca6887a05d921e73e72",
        .sha1: "a84d35eda74338bd79a432f77d73f8ab5eb91902",
        .sha256: "2cb74edba754a81d121c9db6833704a8e7d417e5b13d1a19f4a52f007d644264",
        .sha512: "e5eaf1ef45b2356a4877189a28555adefe9213da13ce13c3d81010381ec8a451"
          + "233dfff34fe308e543e745e0dcaf3cf60243ef73d20d00d5b681b0ad021bdbe7",
        .xxh64: "57c11c1798b7a6c9", .xxh3: "328774f648f97d4c",
        .xxh128: "2efe05ef2a9effe8328774f648f97d4c",
        .c4:
          "c45bccLvWRs2zE7Dit51HWWTGDuTJrboC3bnhET8PCAZf4YYkwjDbqedW4c4AyadoVKVKHKySzcFt9FLQmHgG2Qu"
          + "u8",
      ]),
  ]

  @Test("Every hash gives its known answers, all in one pass", arguments: cases)
  func together(_ known: Case) throws {
    let digests = try Digests.of(known.bytes, HashAlgorithm.allCases)
    #expect(digests.byteCount == Int64(known.bytes.count))
    #expect(digests.all.map(\.algorithm) == HashAlgorithm.allCases)
    for algorithm in HashAlgorithm.allCases {
      #expect(digests[algorithm]?.text == known.answers[algorithm], "\(algorithm)")
    }
  }

  @Test("A hash alone gives what it gives in company", arguments: cases)
  func alone(_ known: Case) throws {
    for algorithm in HashAlgorithm.allCases {
      let digests = try Digests.of(known.bytes, [algorithm])
      #expect(digests.all.map(\.text) == [known.answers[algorithm]])
    }
  }

  @Test("The text of a known answer reads back as the same digest", arguments: cases)
  func text(_ known: Case) throws {
    let digests = try Digests.of(known.bytes, HashAlgorithm.allCases)
    for digest in digests.all {
      #expect(Digest(digest.algorithm, text: digest.text) == digest)
      #expect(digest.text.utf8.count == digest.algorithm.textLength)
      #expect(digest.bytes.count == digest.algorithm.byteCount)
    }
  }
}
