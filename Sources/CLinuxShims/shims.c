#define _GNU_SOURCE
#include "CLinuxShims.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

const int ls_o_path = O_PATH;
const int ls_o_direct = O_DIRECT;
const int ls_o_directory = O_DIRECTORY;
const int ls_o_nofollow = O_NOFOLLOW;
const int ls_o_cloexec = O_CLOEXEC;
const int ls_seek_data = SEEK_DATA;
const int ls_seek_hole = SEEK_HOLE;
const int ls_rename_noreplace = RENAME_NOREPLACE;
const int ls_rename_exchange = RENAME_EXCHANGE;
const int ls_at_fdcwd = AT_FDCWD;
const int ls_at_removedir = AT_REMOVEDIR;
const int ls_at_symlink_follow = AT_SYMLINK_FOLLOW;

int ls_openat(int directory, const char *name, int flags, uint32_t mode) {
  return openat(directory, name, flags, mode);
}

int ls_access_directory(int directory, int writing) {
  return faccessat(directory, ".", R_OK | X_OK | (writing ? W_OK : 0), AT_EACCESS);
}

int ls_statx(int directory, const char *name, int follow, ls_metadata *result) {
  struct statx s;
  int flags = (name[0] == 0 ? AT_EMPTY_PATH : 0) | (follow ? 0 : AT_SYMLINK_NOFOLLOW);
  // STATX_MNT_ID is newer than some headers, so it goes by number.
  const unsigned int mountID = 0x1000u;
  if (statx(directory, name, flags, STATX_BASIC_STATS | STATX_BTIME | mountID, &s) < 0) return -1;
  *result = (ls_metadata){
    .inode = s.stx_ino,
    .byte_count = (int64_t)s.stx_size,
    .block_count = (int64_t)s.stx_blocks,
    .modified_seconds = s.stx_mtime.tv_sec,
    .changed_seconds = s.stx_ctime.tv_sec,
    .accessed_seconds = s.stx_atime.tv_sec,
    .born_seconds = s.stx_btime.tv_sec,
    .mount_id = s.stx_mnt_id,
    .modified_nanoseconds = s.stx_mtime.tv_nsec,
    .changed_nanoseconds = s.stx_ctime.tv_nsec,
    .accessed_nanoseconds = s.stx_atime.tv_nsec,
    .born_nanoseconds = s.stx_btime.tv_nsec,
    .device_major = s.stx_dev_major,
    .device_minor = s.stx_dev_minor,
    .link_count = s.stx_nlink,
    .uid = s.stx_uid,
    .gid = s.stx_gid,
    .mode = s.stx_mode,
    .has_birth = (s.stx_mask & STATX_BTIME) != 0,
    .has_mount_id = (s.stx_mask & mountID) != 0,
  };
  return 0;
}

int ls_fstatfs(int fd, ls_statistics *result) {
  struct statfs s;
  if (fstatfs(fd, &s) < 0) return -1;
  *result = (ls_statistics){
    .magic = (uint64_t)s.f_type,
    .block_size = (uint64_t)(s.f_frsize > 0 ? s.f_frsize : s.f_bsize),
    .blocks = s.f_blocks,
    .blocks_free = s.f_bfree,
    .blocks_available = s.f_bavail,
    .files = s.f_files,
    .files_free = s.f_ffree,
    .name_max = (uint64_t)s.f_namelen,
    .read_only = (s.f_flags & ST_RDONLY) != 0,
  };
  return 0;
}

int ls_renameat2(int from, const char *name, int to, const char *new_name, uint32_t flags) {
  return renameat2(from, name, to, new_name, flags);
}

int ls_link_descriptor(int fd, int directory, const char *name) {
  // By itself since Linux 6.10, or with CAP_DAC_READ_SEARCH; else the kernel says ENOENT.
  int result = linkat(fd, "", directory, name, AT_EMPTY_PATH);
  if (result == 0 || errno != ENOENT) return result;
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW);
}

int64_t ls_getdents64(int fd, void *buffer, uint64_t byte_count) {
  return syscall(SYS_getdents64, fd, buffer, byte_count);
}

int ls_read_queue_open(unsigned capacity, uint64_t *queue) {
  aio_context_t context = 0;
  if (syscall(SYS_io_setup, capacity, &context) < 0) return -1;
  *queue = context;
  return 0;
}

void ls_read_queue_run(uint64_t queue, ls_queued_read *reads, unsigned count) {
  enum { most = 128 };
  struct iocb blocks[most];
  struct iocb *list[most];
  struct io_event events[most];
  if (count > most) count = most;
  memset(blocks, 0, sizeof blocks[0] * count);
  for (unsigned index = 0; index < count; index++) {
    blocks[index].aio_lio_opcode = IOCB_CMD_PREAD;
    blocks[index].aio_fildes = (uint32_t)reads[index].fd;
    blocks[index].aio_buf = (uint64_t)(uintptr_t)reads[index].buffer;
    blocks[index].aio_nbytes = reads[index].byte_count;
    blocks[index].aio_data = index;
    list[index] = &blocks[index];
    reads[index].result = -EAGAIN;
  }
  // What the kernel refuses stops the list there: the rest is left to plain reads.
  long taken = syscall(SYS_io_submit, queue, (long)count, list);
  // The kernel writes into the buffers until each read has ended: none may be left behind.
  while (taken > 0) {
    long ended = syscall(SYS_io_getevents, queue, taken, taken, events, NULL);
    if (ended < 0 && errno != EINTR) abort();
    for (long index = 0; index < ended; index++) {
      reads[events[index].data].result = events[index].res;
    }
    if (ended > 0) taken -= ended;
  }
}

void ls_read_queue_close(uint64_t queue) { syscall(SYS_io_destroy, queue); }

int ls_start_writeback(int fd, int64_t offset, int64_t byte_count) {
  return sync_file_range(fd, offset, byte_count, SYNC_FILE_RANGE_WRITE);
}

int ls_syncfs(int fd) { return syncfs(fd); }

int ls_allocate(int fd, int64_t offset, int64_t byte_count) {
  return fallocate(fd, 0, offset, byte_count);
}

int ls_set_direct(int fd, int on) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return -1;
  return fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}

int ls_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }

int64_t ls_readahead(int fd, int64_t offset, uint64_t byte_count) {
  return readahead(fd, offset, byte_count);
}

int ls_cachestat(
  int fd, uint64_t offset, uint64_t byte_count, uint64_t *cached, uint64_t *dirty) {
  // No C library of Debian 12 knows this call; its number is the same on every architecture.
  struct { uint64_t offset, length; } range = {offset, byte_count};
  struct { uint64_t cache, dirty, writeback, evicted, recently_evicted; } stat;
  if (syscall(451, fd, &range, &stat, 0u) < 0) return -1;
  *cached = stat.cache;
  *dirty = stat.dirty + stat.writeback;
  return 0;
}

int ls_resident_pages(int fd, int64_t offset, uint64_t byte_count, uint64_t *resident) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  // A window keeps the page tables and the vector small for a file of any size.
  const uint64_t window = 64u << 20;
  unsigned char vector[(64u << 20) / 4096];
  uint64_t begin = (uint64_t)offset / page * page;
  const uint64_t end = (uint64_t)offset + byte_count;
  *resident = 0;
  while (begin < end) {
    uint64_t length = end - begin < window ? end - begin : window;
    void *map = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, (off_t)begin);
    if (map == MAP_FAILED) return -1;
    int answer = mincore(map, length, vector);
    int error = errno;
    munmap(map, length);
    if (answer < 0) {
      errno = error;
      return -1;
    }
    for (uint64_t i = 0; i < (length + page - 1) / page; i++) *resident += vector[i] & 1;
    begin += length;
  }
  return 0;
}

int64_t ls_fgetxattr(int fd, const char *name, void *value, uint64_t size) {
  return fgetxattr(fd, name, value, size);
}

int ls_fsetxattr(int fd, const char *name, const void *value, uint64_t size) {
  return fsetxattr(fd, name, value, size, 0);
}

int64_t ls_flistxattr(int fd, void *list, uint64_t size) { return flistxattr(fd, list, size); }

int ls_fremovexattr(int fd, const char *name) { return fremovexattr(fd, name); }

int64_t ls_getrandom(void *buffer, uint64_t byte_count) {
  return getrandom(buffer, byte_count, 0);
}

int32_t ls_gettid(void) { return gettid(); }

void ls_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int ls_bind_thread(int turn) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  turn %= CPU_COUNT(&allowed);
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE; core++) {
    if (!CPU_ISSET(core, &allowed) || turn-- > 0) continue;
    CPU_SET(core, &one);
    break;
  }
  return sched_setaffinity(0, sizeof one, &one);
}

int ls_pipe(int *both) { return pipe2(both, O_CLOEXEC); }

int ls_socketpair(int *both) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both); }

/// Fills an address; -1 with ENAMETOOLONG when the path does not fit.
static int unix_address(const char *path, uint64_t length, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (length >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address->sun_path, path, length);
  return 0;
}

/// Closes a half-made descriptor and keeps errno.
static int abandon(int fd) {
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

int ls_unix_listen(const char *path, uint64_t length, int backlog) {
  struct sockaddr_un address;
  if (unix_address(path, length, &address) < 0) return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) return abandon(fd);
  if (listen(fd, backlog) < 0) return abandon(fd);
  return fd;
}

int ls_unix_connect(const char *path, uint64_t length) {
  struct sockaddr_un address;
  if (unix_address(path, length, &address) < 0) return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) return abandon(fd);
  return fd;
}

int ls_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_CLOEXEC); }

int64_t ls_send(int fd, const void *bytes, uint64_t byte_count) {
  return send(fd, bytes, byte_count, MSG_NOSIGNAL);
}

_Static_assert(sizeof(ls_pollfd) == sizeof(struct pollfd), "ls_pollfd is struct pollfd");

int ls_poll(ls_pollfd *descriptors, uint64_t count, int64_t nanoseconds) {
  struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  return ppoll((struct pollfd *)descriptors, count, nanoseconds < 0 ? NULL : &timeout, NULL);
}

int ls_signalfd(const int *signals, uint64_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (uint64_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
  int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (error != 0) {
    errno = error;
    return -1;
  }
  return signalfd(-1, &set, SFD_CLOEXEC);
}

int ls_signalfd_read(int fd) {
  struct signalfd_siginfo info;
  ssize_t got = read(fd, &info, sizeof info);
  if (got < 0) return -1;
  if (got != sizeof info) {
    errno = EIO;
    return -1;
  }
  return (int)info.ssi_signo;
}

int ls_flock(int fd, int exclusive) {
  return flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
}

int64_t ls_copy_file_range(int from, int to, uint64_t count) {
  off_t read_at = 0, write_at = 0;
  return copy_file_range(from, &read_at, to, &write_at, count, 0);
}

int ls_ioctl_none(int fd, uint64_t request) { return ioctl(fd, request, 0); }
