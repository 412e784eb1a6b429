/// The recommended up-case table of the exFAT specification (its table 24), which formatters write
/// to every volume: 874 characters of the first plane have another one as their capital.
enum UpCaseTable {
  /// The character that names are compared by.
  static func capital(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    capitals[scalar.value].flatMap { Unicode.Scalar($0) } ?? scalar
  }

  static let capitals: [UInt32: UInt32] = {
    var capitals: [UInt32: UInt32] = [:]
    for run in runs.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      let parts = run.split(separator: ":")
      let isPaired = parts[0].contains("/")
      let ends = parts[0].split { $0 == "-" || $0 == "/" }.compactMap { UInt32($0, radix: 16) }
      guard let first = ends.first, let last = ends.last, let shift = Int64(parts[1]) else {
        continue
      }
      for small in stride(from: first, through: last, by: isPaired ? 2 : 1) {
        capitals[small] = UInt32(truncatingIfNeeded: Int64(small) + shift)
      }
    }
    return capitals
  }()

  /// `FIRST-LAST:SHIFT` for each of a run, `FIRST/LAST:SHIFT` for every second one; code points in
  /// hexadecimal. Unlike in Unicode, 23a, 23e, 1fcc and 1ffc go to their small letters.
  private static let runs = """
    61-7a:-32 e0-f6:-32 f8-fe:-32 ff:121 101/12f:-1 133/137:-1 13a/148:-1 14b/177:-1 17a/17e:-1
    180:195 183/185:-1 188:-1 18c:-1 192:-1 195:97 199:-1 19a:163 19e:130 1a1/1a5:-1 1a8:-1 1ad:-1
    1b0:-1 1b4/1b6:-1 1b9:-1 1bd:-1 1bf:56 1c6:-2 1c9:-2 1cc:-2 1ce/1dc:-1 1dd:-79 1df/1ef:-1
    1f3:-2 1f5:-1 1f9/21f:-1 223/233:-1 23a:10795 23c:-1 23e:10792 242:-1 247/24f:-1 253:-210
    254:-206 256-257:-205 259:-202 25b:-203 260:-205 263:-207 268:-209 269:-211 26b:10743 26f:-211
    272:-213 275:-214 27d:10727 280:-218 283:-218 288:-218 289:-69 28a-28b:-217 28c:-71 292:-219
    37b-37d:130 3ac:-38 3ad-3af:-37 3b1-3c1:-32 3c2:-31 3c3-3cb:-32 3cc:-64 3cd-3ce:-63 3d9/3ef:-1
    3f2:7 3f8:-1 3fb:-1 430-44f:-32 450-45f:-80 461/481:-1 48b/4bf:-1 4c2/4ce:-1 4cf:-15
    4d1/513:-1 561-586:-48 1d7d:3814 1e01/1e95:-1 1ea1/1ef9:-1 1f00-1f07:8 1f10-1f15:8 1f20-1f27:8
    1f30-1f37:8 1f40-1f45:8 1f51/1f57:8 1f60-1f67:8 1f70-1f71:74 1f72-1f75:86 1f76-1f77:100
    1f78-1f79:128 1f7a-1f7b:112 1f7c-1f7d:126 1f80-1f87:8 1f90-1f97:8 1fa0-1fa7:8 1fb0-1fb1:8
    1fb3:9 1fcc:-9 1fd0-1fd1:8 1fe0-1fe1:8 1fe5:7 1ffc:-9 214e:-28 2170-217f:-16 2184:-1
    24d0-24e9:-26 2c30-2c5e:-48 2c61:-1 2c68/2c6c:-1 2c76:-1 2c81/2ce3:-1 2d00-2d25:-7264
    ff41-ff5a:-32
    """
}
