import Testing

/// What runs the built commands on a real disk; one at a time, since loop devices, mounts and the
/// disk's bandwidth are shared.
@Suite("Integration: the shipped commands on real file systems", .serialized)
struct IntegrationTests {}
