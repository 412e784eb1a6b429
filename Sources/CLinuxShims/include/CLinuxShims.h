// What Swift cannot call itself: variadic calls, cast macros and calls that glibc hides without
// _GNU_SOURCE. Feature macros stay in the .c files. Prefix ls_. Every int function returns -1 with
// errno set on failure unless it says otherwise; none allocates.
#ifndef CUSTODY_LINUX_SHIMS_H
#define CUSTODY_LINUX_SHIMS_H

#include <stdint.h>

// Flags that only _GNU_SOURCE shows, as this machine's C library has them.
extern const int ls_o_path;
extern const int ls_o_direct;
extern const int ls_o_directory;
extern const int ls_o_nofollow;
extern const int ls_o_cloexec;
extern const int ls_seek_data;
extern const int ls_seek_hole;
extern const int ls_rename_noreplace;
extern const int ls_rename_exchange;
extern const int ls_at_fdcwd;
extern const int ls_at_removedir;
extern const int ls_at_symlink_follow;

/// openat(2) with a mode. Returns a descriptor.
int ls_openat(int directory, const char *_Nonnull name, int flags, uint32_t mode);

/// faccessat(2) on an open directory itself with the effective ids: search and read, and write
/// when asked. -1 with errno on failure.
int ls_access_directory(int directory, int writing);

/// What statx(2) tells, flat.
typedef struct {
  uint64_t inode;
  int64_t byte_count;
  int64_t block_count;
  int64_t modified_seconds, changed_seconds, accessed_seconds, born_seconds;
  uint64_t mount_id;
  uint32_t modified_nanoseconds, changed_nanoseconds, accessed_nanoseconds, born_nanoseconds;
  uint32_t device_major, device_minor;
  uint32_t link_count, uid, gid;
  uint32_t mode;
  uint32_t has_birth, has_mount_id;
} ls_metadata;

/// statx(2) of a name below a directory, or of the descriptor itself when the name is empty.
int ls_statx(
  int directory, const char *_Nonnull name, int follow, ls_metadata *_Nonnull result);

/// What fstatfs(2) tells, flat.
typedef struct {
  uint64_t magic;
  uint64_t block_size, blocks, blocks_free, blocks_available, files, files_free;
  uint64_t name_max;
  uint32_t read_only;
} ls_statistics;

int ls_fstatfs(int fd, ls_statistics *_Nonnull result);

int ls_renameat2(
  int from, const char *_Nonnull name, int to, const char *_Nonnull new_name, uint32_t flags);

/// Links the file of a descriptor to a name: linkat(2) with AT_EMPTY_PATH, or by /proc/self/fd.
int ls_link_descriptor(int fd, int directory, const char *_Nonnull name);

/// getdents64(2): returns bytes filled, 0 at the end.
int64_t ls_getdents64(int fd, void *_Nonnull buffer, uint64_t byte_count);

/// A queue for so many reads at once (man 2 io_setup).
int ls_read_queue_open(unsigned capacity, uint64_t *_Nonnull queue);

/// One read of many.
typedef struct {
  int fd;
  void *_Nonnull buffer;
  uint64_t byte_count;
  /// Bytes read, or a negative errno; -EAGAIN where the kernel did not take the read.
  int64_t result;
} ls_queued_read;

/// Reads from the start of each file and waits for all of them (io_submit(2), io_getevents(2)).
/// At most the queue's capacity, and no more than 128.
void ls_read_queue_run(uint64_t queue, ls_queued_read *_Nonnull reads, unsigned count);

void ls_read_queue_close(uint64_t queue);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: starts writeback and does not wait for it.
int ls_start_writeback(int fd, int64_t offset, int64_t byte_count);

int ls_syncfs(int fd);

/// fallocate(2) of a range, the length kept or extended.
int ls_allocate(int fd, int64_t offset, int64_t byte_count);

/// A duplicate with close-on-exec (F_DUPFD_CLOEXEC).
int ls_duplicate(int fd);

/// Turns O_DIRECT of an open file on or off (F_SETFL); EINVAL where the file system has none.
int ls_set_direct(int fd, int on);

int64_t ls_readahead(int fd, int64_t offset, uint64_t byte_count);

/// cachestat(2), Linux 6.5: pages in the cache, and those of them that are dirty or being written.
int ls_cachestat(
  int fd, uint64_t offset, uint64_t byte_count, uint64_t *_Nonnull cached,
  uint64_t *_Nonnull dirty);

/// Counts the pages of a file's range that mincore(2) calls resident in a private mapping.
int ls_resident_pages(int fd, int64_t offset, uint64_t byte_count, uint64_t *_Nonnull resident);

int64_t ls_fgetxattr(int fd, const char *_Nonnull name, void *_Nullable value, uint64_t size);
int ls_fsetxattr(int fd, const char *_Nonnull name, const void *_Nullable value, uint64_t size);
int64_t ls_flistxattr(int fd, void *_Nullable list, uint64_t size);
int ls_fremovexattr(int fd, const char *_Nonnull name);

/// getrandom(2): returns bytes filled.
int64_t ls_getrandom(void *_Nonnull buffer, uint64_t byte_count);

int32_t ls_gettid(void);

/// Names the calling thread; at most 15 bytes. A name that is not taken harms nobody.
void ls_name_thread(const char *_Nonnull name);

/// Binds the calling thread, and all that it starts from now on, to one of the cores that it may
/// use: the first for turn 0, and so on, from the first again after the last.
int ls_bind_thread(int turn);

int ls_pipe(int *_Nonnull both);
int ls_socketpair(int *_Nonnull both);

/// A stream socket bound to a path of the file system and listening. Returns the descriptor.
int ls_unix_listen(const char *_Nonnull path, uint64_t length, int backlog);
/// A stream socket connected to a path. Returns the descriptor.
int ls_unix_connect(const char *_Nonnull path, uint64_t length);
int ls_accept(int fd);
/// send(2) with MSG_NOSIGNAL.
int64_t ls_send(int fd, const void *_Nonnull bytes, uint64_t byte_count);

/// poll(2) of one descriptor set with a timeout in nanoseconds, -1 for none (ppoll).
typedef struct {
  int32_t fd;
  int16_t events, revents;
} ls_pollfd;
int ls_poll(ls_pollfd *_Nonnull descriptors, uint64_t count, int64_t nanoseconds);

/// Blocks the signals for the calling thread and the threads it starts, and opens a signalfd(2)
/// for them.
int ls_signalfd(const int *_Nonnull signals, uint64_t count);
/// Reads one pending signal number of a signalfd.
int ls_signalfd_read(int fd);

int ls_flock(int fd, int exclusive);
/// Offset 0 to offset 0; the count, or -1 with errno.
int64_t ls_copy_file_range(int from, int to, uint64_t count);
int ls_ioctl_none(int fd, uint64_t request);

/// What a child gets. `descriptors` are pairs (ours, theirs); every other one is closed.
typedef struct {
  const char *_Nonnull executable;
  char *_Nullable const *_Nonnull arguments;
  char *_Nullable const *_Nonnull environment;
  const char *_Nullable working_directory;
  const int32_t *_Nullable descriptors;
  uint64_t descriptor_pairs;
  uint32_t new_process_group;
  uint32_t new_session;
  /// The first process of a PID namespace of its own, with a mount namespace that follows ours
  /// (MS_SLAVE) and its own /proc; needs CAP_SYS_ADMIN.
  uint32_t new_namespaces;
} ls_child;

/// posix_spawn(3) with an empty signal mask and default handlers, or clone(2) for namespaces.
/// Returns 0, or an errno as the result.
int ls_spawn(const ls_child *_Nonnull child, int32_t *_Nonnull pid);

int ls_pidfd_open(int32_t pid);

/// pidfd_send_signal(2): never another process that was given the same number.
int ls_pidfd_signal(int fd, int signal);

/// How a child ended and what it used; microseconds and KiB.
typedef struct {
  int32_t exited, code, signal, core_dumped;
  int64_t user_microseconds, system_microseconds, peak_resident_kib;
} ls_exit;

/// wait4(2). Returns the pid when it ended, 0 when it still runs (only without `block`).
int32_t ls_wait(int32_t pid, int block, ls_exit *_Nonnull result);
/// The width of a terminal in columns by ioctl_tty(2); 0 when the descriptor is no terminal.
int32_t ls_window_columns(int descriptor);

#endif
