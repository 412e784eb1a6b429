// What `harness bench faultfs` measures with, in C so that no cost of ours hides a difference: a
// plain pass-through file system, and the calls of a client that are timed. Prefix cb_.
#ifndef CUSTODY_BENCH_H
#define CUSTODY_BENCH_H

#include <stdint.h>

typedef struct {
  /// Source and flags of the mount as one -o list: `fsname=...,allow_other`.
  const char *_Nonnull mount_options;
  /// Open files bypass the page cache; times are 0 then.
  uint32_t direct;
  double timeout;
} cb_options;

/// Shows a folder at a mount point, one request at a time, until SIGTERM, SIGINT or the death of
/// the parent. Returns 0 after a clean end, or an errno.
int32_t cb_pass_through(
  const char *_Nonnull folder, const char *_Nonnull mount_point,
  const cb_options *_Nonnull options);

/// What is done to a mounted folder.
enum __attribute__((enum_extensibility(closed))) cb_step {
  /// One file is written from the start to its end, in calls of 1 MiB.
  cb_step_write,
  /// The same file is read so.
  cb_step_read,
  /// 4 KiB at a time are written over its start, again and again.
  cb_step_write_small,
  /// 4 KiB at a time are read so.
  cb_step_read_small,
  /// Files are made, filled with 4 KiB and closed.
  cb_step_create,
  cb_step_stat,
  /// Files are opened, read and closed.
  cb_step_open_read,
  /// The whole folder is listed.
  cb_step_list,
  /// Files are removed.
  cb_step_remove,
};

/// What a step took, in nanoseconds; a processor's time includes the kernel's work for it.
typedef struct {
  uint64_t wall, client, server;
} cb_taken;

/// Does a step `count` times: so many MiB, calls, files or listings. The files are `f0`, `f1`, ...
/// of the folder, of which there are `files`; the steps on one file take `big`. Returns 0, or the
/// errno of the first call that failed.
int32_t cb_run(
  const char *_Nonnull folder, enum cb_step step, uint32_t count, uint32_t files, int32_t server,
  cb_taken *_Nonnull taken);

#endif
