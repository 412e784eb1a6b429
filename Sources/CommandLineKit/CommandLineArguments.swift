import Glibc

extension CommandLine {
  /// The process's arguments as raw bytes, the program's name left out.
  public static var rawArguments: [[UInt8]] {
    (1..<max(1, Int(argc))).compactMap { index in
      unsafeArgv[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
  }
}
