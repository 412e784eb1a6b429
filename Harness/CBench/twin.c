// A pass-through file system with nothing in it but what passing through takes: what a backed
// volume is compared with. One thread; an O_PATH descriptor for each inode that the kernel knows.
#define _GNU_SOURCE
#define FUSE_USE_VERSION 312
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "CBench.h"
#include "inodes.h"

struct twin {
  struct inodes inodes;
  struct inode root;
  double timeout;
  uint32_t direct;
  /// For the bytes of a read or the entries of a listing; the largest that the kernel asks for.
  char *room;
};

enum { room_size = 1 << 20 };

struct listing {
  DIR *folder;
  struct dirent *entry;
  off_t offset;
};

static struct twin *twin_of(fuse_req_t req) { return fuse_req_userdata(req); }

static struct inode *inode_of(fuse_req_t req, fuse_ino_t node) {
  return node == FUSE_ROOT_ID ? &twin_of(req)->root : (struct inode *)(uintptr_t)node;
}

static int fd_of(fuse_req_t req, fuse_ino_t node) { return inode_of(req, node)->fd; }

/// The path of an O_PATH descriptor, for the calls that take none.
struct name { char text[32]; };

static struct name name_of(int fd) {
  struct name name;
  snprintf(name.text, sizeof name.text, "/proc/self/fd/%d", fd);
  return name;
}

static void answer(fuse_req_t req, int result) { fuse_reply_err(req, result < 0 ? errno : 0); }

static void on_init(void *userdata, struct fuse_conn_info *connection) {
  (void)userdata;
  // What a rig asks for.
  connection->want = connection->capable & FUSE_CAP_PARALLEL_DIROPS;
  connection->max_write = room_size;
  connection->time_gran = 1;
}

static int look_up(
  fuse_req_t req, fuse_ino_t parent, const char *name, struct fuse_entry_param *entry
) {
  struct twin *twin = twin_of(req);
  memset(entry, 0, sizeof *entry);
  entry->attr_timeout = entry->entry_timeout = twin->timeout;
  int fd = openat(fd_of(req, parent), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  if (fstatat(fd, "", &entry->attr, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  struct inode *inode = inodes_take(&twin->inodes, &entry->attr, fd);
  if (!inode) return -1;
  entry->ino = (uintptr_t)inode;
  return 0;
}

static void reply_entry(fuse_req_t req, fuse_ino_t parent, const char *name) {
  struct fuse_entry_param entry;
  if (look_up(req, parent, name, &entry) != 0) {
    fuse_reply_err(req, errno);
  } else {
    fuse_reply_entry(req, &entry);
  }
}

static void on_lookup(fuse_req_t req, fuse_ino_t parent, const char *name) {
  reply_entry(req, parent, name);
}

static void forget(fuse_req_t req, fuse_ino_t node, uint64_t lookups) {
  if (node != FUSE_ROOT_ID) inodes_forget(&twin_of(req)->inodes, inode_of(req, node), lookups);
}

static void on_forget(fuse_req_t req, fuse_ino_t node, uint64_t lookups) {
  forget(req, node, lookups);
  fuse_reply_none(req);
}

static void on_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets) {
  for (size_t i = 0; i < count; i++) forget(req, forgets[i].ino, forgets[i].nlookup);
  fuse_reply_none(req);
}

static void on_getattr(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  (void)info;
  struct stat stat;
  if (fstatat(fd_of(req, node), "", &stat, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) {
    fuse_reply_err(req, errno);
  } else {
    fuse_reply_attr(req, &stat, twin_of(req)->timeout);
  }
}

static int set_size(int fd, const struct fuse_file_info *info, off_t size) {
  return info ? ftruncate((int)info->fh, size) : truncate(name_of(fd).text, size);
}

static void on_setattr(
  fuse_req_t req, fuse_ino_t node, struct stat *stat, int fields, struct fuse_file_info *info
) {
  int fd = fd_of(req, node);
  int failed = 0;
  if (fields & FUSE_SET_ATTR_MODE) failed = chmod(name_of(fd).text, stat->st_mode);
  if (!failed && fields & FUSE_SET_ATTR_SIZE) failed = set_size(fd, info, stat->st_size);
  if (!failed && fields & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME)) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_OMIT}};
    if (fields & FUSE_SET_ATTR_ATIME) times[0] = stat->st_atim;
    if (fields & FUSE_SET_ATTR_MTIME) times[1] = stat->st_mtim;
    if (fields & FUSE_SET_ATTR_ATIME_NOW) times[0].tv_nsec = UTIME_NOW;
    if (fields & FUSE_SET_ATTR_MTIME_NOW) times[1].tv_nsec = UTIME_NOW;
    failed = utimensat(AT_FDCWD, name_of(fd).text, times, 0);
  }
  if (failed) {
    fuse_reply_err(req, errno);
  } else {
    on_getattr(req, node, info);
  }
}

static void on_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode) {
  if (mkdirat(fd_of(req, parent), name, mode) != 0) {
    fuse_reply_err(req, errno);
  } else {
    reply_entry(req, parent, name);
  }
}

static void on_unlink(fuse_req_t req, fuse_ino_t parent, const char *name) {
  answer(req, unlinkat(fd_of(req, parent), name, 0));
}

static void on_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name) {
  answer(req, unlinkat(fd_of(req, parent), name, AT_REMOVEDIR));
}

static void on_rename(
  fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
  const char *new_name, unsigned flags
) {
  answer(req, renameat2(fd_of(req, parent), name, fd_of(req, new_parent), new_name, flags));
}

static void set_policy(const struct twin *twin, struct fuse_file_info *info) {
  info->direct_io = twin->direct != 0;
  info->keep_cache = twin->direct == 0;
}

static void on_create(
  fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *info
) {
  int flags = (info->flags | O_CREAT | O_CLOEXEC) & ~O_NOFOLLOW;
  int fd = openat(fd_of(req, parent), name, flags, mode);
  struct fuse_entry_param entry;
  if (fd < 0 || look_up(req, parent, name, &entry) != 0) {
    int error = errno;
    if (fd >= 0) close(fd);
    fuse_reply_err(req, error);
    return;
  }
  info->fh = (uint64_t)fd;
  set_policy(twin_of(req), info);
  fuse_reply_create(req, &entry, info);
}

static void on_open(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  int fd = open(name_of(fd_of(req, node)).text, (info->flags | O_CLOEXEC) & ~O_NOFOLLOW);
  if (fd < 0) {
    fuse_reply_err(req, errno);
    return;
  }
  info->fh = (uint64_t)fd;
  set_policy(twin_of(req), info);
  fuse_reply_open(req, info);
}

static void on_read(
  fuse_req_t req, fuse_ino_t node, size_t count, off_t offset, struct fuse_file_info *info
) {
  (void)node;
  char *room = twin_of(req)->room;
  ssize_t filled = pread((int)info->fh, room, count < room_size ? count : room_size, offset);
  if (filled < 0) {
    fuse_reply_err(req, errno);
  } else {
    fuse_reply_buf(req, room, (size_t)filled);
  }
}

static void on_write(
  fuse_req_t req, fuse_ino_t node, const char *bytes, size_t count, off_t offset,
  struct fuse_file_info *info
) {
  (void)node;
  ssize_t written = pwrite((int)info->fh, bytes, count, offset);
  if (written < 0) {
    fuse_reply_err(req, errno);
  } else {
    fuse_reply_write(req, (size_t)written);
  }
}

static void on_flush(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  (void)node;
  answer(req, close(dup((int)info->fh)));
}

static void on_release(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  (void)node;
  close((int)info->fh);
  fuse_reply_err(req, 0);
}

static void on_fsync(
  fuse_req_t req, fuse_ino_t node, int data_only, struct fuse_file_info *info
) {
  (void)node;
  answer(req, data_only ? fdatasync((int)info->fh) : fsync((int)info->fh));
}

static void on_opendir(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  struct listing *listing = calloc(1, sizeof *listing);
  int fd = listing ? openat(fd_of(req, node), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) listing->folder = fdopendir(fd);
  if (!listing || !listing->folder) {
    int error = listing ? errno : ENOMEM;
    if (fd >= 0) close(fd);
    free(listing);
    fuse_reply_err(req, error);
    return;
  }
  info->fh = (uintptr_t)listing;
  fuse_reply_open(req, info);
}

static void on_readdir(
  fuse_req_t req, fuse_ino_t node, size_t count, off_t offset, struct fuse_file_info *info
) {
  (void)node;
  struct listing *listing = (void *)(uintptr_t)info->fh;
  char *room = twin_of(req)->room;
  if (count > room_size) count = room_size;
  if (offset != listing->offset) {
    seekdir(listing->folder, offset);
    listing->entry = NULL;
    listing->offset = offset;
  }
  size_t used = 0;
  while (listing->entry || (listing->entry = readdir(listing->folder))) {
    struct stat stat = {
      .st_ino = listing->entry->d_ino, .st_mode = (mode_t)listing->entry->d_type << 12};
    off_t next = listing->entry->d_off;
    size_t size = fuse_add_direntry(
      req, room + used, count - used, listing->entry->d_name, &stat, next);
    if (size > count - used) break;
    used += size;
    listing->entry = NULL;
    listing->offset = next;
  }
  fuse_reply_buf(req, room, used);
}

static void on_releasedir(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  (void)node;
  struct listing *listing = (void *)(uintptr_t)info->fh;
  closedir(listing->folder);
  free(listing);
  fuse_reply_err(req, 0);
}

static void on_statfs(fuse_req_t req, fuse_ino_t node) {
  struct statvfs statistics;
  if (fstatvfs(fd_of(req, node), &statistics) != 0) {
    fuse_reply_err(req, errno);
  } else {
    fuse_reply_statfs(req, &statistics);
  }
}

static const struct fuse_lowlevel_ops operations = {
  .init = on_init,
  .lookup = on_lookup,
  .forget = on_forget,
  .forget_multi = on_forget_multi,
  .getattr = on_getattr,
  .setattr = on_setattr,
  .mkdir = on_mkdir,
  .unlink = on_unlink,
  .rmdir = on_rmdir,
  .rename = on_rename,
  .create = on_create,
  .open = on_open,
  .read = on_read,
  .write = on_write,
  .flush = on_flush,
  .release = on_release,
  .fsync = on_fsync,
  .opendir = on_opendir,
  .readdir = on_readdir,
  .releasedir = on_releasedir,
  .statfs = on_statfs,
};

static int32_t serve(struct fuse_session *session, const char *mount_point) {
  if (fuse_set_signal_handlers(session) != 0) return EINVAL;
  errno = 0;
  int32_t result = 0;
  if (fuse_session_mount(session, mount_point) != 0) {
    result = errno ? errno : EIO;
  } else {
    int ended = fuse_session_loop(session);
    if (ended < 0) result = -ended;
    fuse_session_unmount(session);
  }
  fuse_remove_signal_handlers(session);
  return result;
}

int32_t cb_pass_through(
  const char *folder, const char *mount_point, const cb_options *options
) {
  // Nobody else would take the mount away.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // One descriptor for each file that the kernel knows.
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  umask(0);
  struct twin twin = {.timeout = options->timeout, .direct = options->direct};
  twin.root.fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (twin.root.fd < 0) return errno;
  twin.room = aligned_alloc(4096, room_size);
  char name[] = "twin", dash_o[] = "-o";
  char *list = strdup(options->mount_options);
  char *arguments[] = {name, dash_o, list, NULL};
  struct fuse_args args = FUSE_ARGS_INIT(3, arguments);
  struct fuse_session *session =
    list && twin.room ? fuse_session_new(&args, &operations, sizeof operations, &twin) : NULL;
  fuse_opt_free_args(&args);
  free(list);
  int32_t result = session ? serve(session, mount_point) : EINVAL;
  if (session) fuse_session_destroy(session);
  inodes_free(&twin.inodes);
  close(twin.root.fd);
  free(twin.room);
  return result;
}
