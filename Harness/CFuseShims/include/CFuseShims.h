// libfuse's low-level API behind fixed-width types: one flat request, one callback, one reply
// function for each kind of answer. Prefix ff_. libfuse's own headers stay in the .c files.
#ifndef CUSTODY_FUSE_SHIMS_H
#define CUSTODY_FUSE_SHIMS_H

#include <poll.h>
#include <stdint.h>

/// What the kernel asks. Closed: the callback sees no other value.
enum __attribute__((enum_extensibility(closed))) ff_operation {
  ff_operation_lookup,
  ff_operation_getattr,
  ff_operation_setattr,
  ff_operation_readlink,
  ff_operation_mknod,
  ff_operation_mkdir,
  ff_operation_unlink,
  ff_operation_rmdir,
  ff_operation_symlink,
  ff_operation_rename,
  ff_operation_link,
  ff_operation_open,
  ff_operation_create,
  ff_operation_read,
  ff_operation_write,
  ff_operation_flush,
  ff_operation_release,
  ff_operation_fsync,
  ff_operation_opendir,
  ff_operation_readdir,
  ff_operation_releasedir,
  ff_operation_fsyncdir,
  ff_operation_statfs,
  ff_operation_setxattr,
  ff_operation_getxattr,
  ff_operation_listxattr,
  ff_operation_removexattr,
  ff_operation_access,
  ff_operation_lseek,
  ff_operation_fallocate,
  ff_operation_copyrange,
  ff_operation_ioctl,
  /// fcntl(2) F_GETLK, F_SETLK and F_SETLKW, and flock(2). `offset`, and `count` bytes (0: to the
  /// end); `mode` is a type as in struct flock, `other_node` the process, `fields` bits of ff_lock.
  ff_operation_getlock,
  ff_operation_setlock,
  ff_operation_forget,
};

/// Which fields a SETATTR carries.
enum ff_field {
  ff_field_mode = 1,
  ff_field_uid = 2,
  ff_field_gid = 4,
  ff_field_size = 8,
  ff_field_atime = 16,
  ff_field_mtime = 32,
  ff_field_atime_now = 64,
  ff_field_mtime_now = 128,
};

/// How a lock is asked for.
enum ff_lock {
  ff_lock_waits = 1,
  /// The whole file, by flock(2).
  ff_lock_whole = 2,
};

/// One request. Fields that the operation lacks are 0 or NULL. Pointers are valid during the
/// callback only.
typedef struct {
  /// For the reply; NULL when the kernel wants none.
  void *_Nullable token;
  uint64_t unique;
  uint64_t node, other_node;
  uint64_t handle, other_handle;
  uint64_t offset, other_offset;
  uint64_t count;
  const char *_Nullable name;
  const char *_Nullable other_name;
  const void *_Nullable data;
  int64_t atime, mtime;
  enum ff_operation operation;
  /// The caller's thread id.
  int32_t thread;
  int32_t flags;
  uint32_t mode;
  uint32_t uid, gid;
  /// Bits of ff_field or ff_lock.
  uint32_t fields;
  /// Whose locks they are, for locks and for what ends them: a FLUSH those of fcntl(2), a RELEASE
  /// with ff_lock_whole those of flock(2).
  uint64_t owner;
  uint32_t has_handle;
} ff_request;

/// What an entry or a stat shows. Times in nanoseconds since 1970.
typedef struct {
  uint64_t node, inode, byte_count, blocks;
  int64_t atime, mtime, ctime;
  uint32_t mode, link_count, uid, gid;
} ff_attributes;

typedef struct {
  uint64_t block_size, blocks, free_blocks, files, free_files, longest_name;
  uint32_t read_only;
} ff_statistics;

typedef void (*ff_handler)(void *_Nonnull context, const ff_request *_Nonnull request);

typedef struct ff_session ff_session;

typedef struct {
  /// Source and flags of the mount as one -o list: `fsname=...,allow_other`.
  const char *_Nonnull mount_options;
  /// Open files bypass the page cache; times are 0 then.
  uint32_t direct;
  /// Shared mappings work under `direct`.
  uint32_t allow_mmap;
  /// Locks come to the handler; else the kernel keeps them to itself.
  uint32_t locks;
  double timeout;
} ff_options;

/// A session without a mount, or NULL with errno set. Freed by ff_session_free.
ff_session *_Nullable ff_session_new(
  const ff_options *_Nonnull options, ff_handler _Nonnull handler, void *_Nonnull context);

/// Mounts by mount(2), or by fusermount3 where that is not permitted; the descriptor becomes
/// close-on-exec and non-blocking. Returns 0, or an errno.
int32_t ff_session_mount(ff_session *_Nonnull session, const char *_Nonnull mount_point);

/// The descriptor of /dev/fuse, -1 before the mount.
int32_t ff_session_descriptor(const ff_session *_Nonnull session);

/// Reads one request without blocking. Returns its bytes, 0 when there is none, or a negative
/// errno; -ENODEV when the connection is over.
int64_t ff_session_receive(ff_session *_Nonnull session);

/// When the request that was received is an INTERRUPT: which request it concerns, else 0.
uint64_t ff_session_interrupted(const ff_session *_Nonnull session);

/// Decodes the request that was received and calls the handler for it, or answers it itself.
void ff_session_process(ff_session *_Nonnull session);

/// Has the kernel forget a name of the root and everything below it. Returns 0, or an errno; ENOENT
/// when it knew nothing of it.
int32_t ff_session_forget_name(
  ff_session *_Nonnull session, const char *_Nonnull name, uint32_t byte_count);

/// Closes the descriptor, which ends the connection, and frees. Does not unmount.
void ff_session_free(ff_session *_Nullable session);

/// The last line that libfuse logged, empty when there is none. Valid until the next call.
const char *_Nonnull ff_last_log(void);

// Replies. Each ends the token. They return 0, or a negative errno; -ENOENT when the caller no
// longer waits.
int32_t ff_reply_error(void *_Nonnull token, int32_t error);
int32_t ff_reply_entry(
  const ff_session *_Nonnull session, void *_Nonnull token, const ff_attributes *_Nonnull entry);
int32_t ff_reply_attributes(
  const ff_session *_Nonnull session, void *_Nonnull token, const ff_attributes *_Nonnull stat);
int32_t ff_reply_open(
  const ff_session *_Nonnull session, void *_Nonnull token, uint64_t handle, int32_t directory);
int32_t ff_reply_create(
  const ff_session *_Nonnull session, void *_Nonnull token, const ff_attributes *_Nonnull entry,
  uint64_t handle);
int32_t ff_reply_data(void *_Nonnull token, const void *_Nullable bytes, uint64_t count);
int32_t ff_reply_written(void *_Nonnull token, uint64_t count);
int32_t ff_reply_text(void *_Nonnull token, const char *_Nonnull text);
int32_t ff_reply_statistics(void *_Nonnull token, const ff_statistics *_Nonnull statistics);
int32_t ff_reply_offset(void *_Nonnull token, uint64_t offset);
/// The lock that is in the way of a GETLK; type F_UNLCK for none.
int32_t ff_reply_lock(
  void *_Nonnull token, int32_t type, uint64_t offset, uint64_t count, int32_t process);
int32_t ff_reply_size(void *_Nonnull token, uint64_t size);
void ff_reply_none(void *_Nonnull token);

/// Adds one entry to a listing of which `used` of `capacity` bytes are filled; `type` is a file
/// type as in st_mode, 0 for unknown. Returns the new number of bytes, or 0 when it does not fit.
uint64_t ff_listing_add(
  void *_Nonnull token, void *_Nonnull buffer, uint64_t used, uint64_t capacity,
  const char *_Nonnull name, uint64_t inode, uint32_t type, uint64_t next_offset);

// What the rig needs of the system around its mounts.

/// A directory descriptor of the fuse control file system, whether it is mounted or not; a
/// private instance that no path leads to, or /sys/fs/fuse/connections. Returns -1 with errno set.
int32_t ff_control_open(void);

/// Aborts the connection with this id through the control file system. Returns 0, or an errno.
int32_t ff_control_abort(int32_t control, uint32_t connection);

/// Mounts a small tmpfs that shares its mounts with namespaces made from ours (mount_namespaces(7)).
/// Returns 0, or an errno.
int32_t ff_mount_place(const char *_Nonnull source, const char *_Nonnull path);

/// umount2(2) with MNT_DETACH and UMOUNT_NOFOLLOW. Returns 0, or an errno.
int32_t ff_detach(const char *_Nonnull mount_point);

/// mount(2) with MS_BIND. Returns 0, or an errno.
int32_t ff_bind(const char *_Nonnull from, const char *_Nonnull to);

/// A descriptor of a process (pidfd_open(2)), readable when it has ended. Returns -1 with errno
/// set.
int32_t ff_process_open(int32_t process);

/// Sends a signal by pidfd (pidfd_send_signal(2)), so that a reused process id is never struck.
/// Returns 0, or an errno.
int32_t ff_signal(int32_t process_descriptor, int32_t signal);

/// Sets a limit of another process (prlimit(2)): 0 open descriptors, 1 address space, 2 file size.
/// Returns 0, or an errno.
int32_t ff_limit(int32_t process, int32_t which, uint64_t value);

/// A set of descriptors to wait for (epoll(7)): its own descriptor, to be closed, or a negative
/// errno.
int32_t ff_events_new(void);

/// Waits for a descriptor from now on; it must leave before it is closed. Returns 0, or an errno.
int32_t ff_events_add(int32_t events, int32_t descriptor);

/// Waits for a descriptor no more.
void ff_events_remove(int32_t events, int32_t descriptor);

/// Puts the descriptors that are readable or hung up into `ready`, at most 64. Returns how many,
/// or a negative errno.
int32_t ff_events_wait(
  int32_t events, int32_t *_Nonnull ready, uint32_t room, int64_t nanoseconds);

/// Has malloc keep freed memory up to a size for this process instead of giving it back at once.
void ff_keep_memory(uint64_t byte_count);

/// A thread as /proc shows it.
typedef struct {
  int32_t thread;
  /// The letter of its state: R, S, D, ...; 0 when it has ended meanwhile. A wait for a lock that
  /// another thread holds is S.
  char state;
  /// How often it left a core.
  uint64_t switches;
} ff_thread;

/// The threads of a process and of all its children, in the order of /proc; at most `room`.
/// Returns their number.
int32_t ff_threads(int32_t process, ff_thread *_Nonnull threads, int32_t room);

/// Puts a process with one thread, and all that it starts, on one core of ours where each thread
/// runs until it blocks (SCHED_FIFO). Returns 0, or an errno: the policy needs root.
int32_t ff_run_in_turn(int32_t process);

#endif
