/// Which build a binary comes from: two binaries with the same identity have the same engines.
public enum BuildIdentity {
  /// The version of the product.
  public static let version = "0.1.0"

  /// The digest of the engines' sources and of the configuration: `5c2f0a9d1e3b4c6f-release`.
  ///
  /// Made by the plugin BuildStamp at each build, from contents alone, so that two clones of one
  /// commit agree (docs/architecture.md).
  public static let current = stamp + configuration

  #if DEBUG
    private static let configuration = "-debug"
  #else
    private static let configuration = "-release"
  #endif
}
