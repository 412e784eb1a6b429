import Glibc
import Testing

/// Everything that mounts, one after another: mounts and their table belong to the whole process.
@Suite(
  .serialized,
  .enabled(if: access("/dev/fuse", R_OK | W_OK) == 0, "/dev/fuse cannot be opened here"))
struct MountTests {}
