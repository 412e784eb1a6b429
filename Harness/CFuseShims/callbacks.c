// libfuse's callback table: each entry flattens its arguments and calls the one handler.
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "session.h"

static ff_request request_of(fuse_req_t req, enum ff_operation operation, fuse_ino_t node) {
  const struct ff_session *session = fuse_req_userdata(req);
  ff_request request;
  memset(&request, 0, sizeof request);
  request.token = req;
  request.unique = session->unique;
  request.operation = operation;
  request.thread = fuse_req_ctx(req)->pid;
  request.node = node;
  return request;
}

static void hand_over(fuse_req_t req, const ff_request *request) {
  const struct ff_session *session = fuse_req_userdata(req);
  session->handler(session->context, request);
}

static void set_handle(ff_request *request, const struct fuse_file_info *info) {
  if (info) {
    request->handle = info->fh;
    request->has_handle = 1;
    request->flags = info->flags;
  }
}

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void on_init(void *userdata, struct fuse_conn_info *connection) {
  const struct ff_session *session = userdata;
  // Only what determinism and long names need: no read-ahead in parallel, no READDIRPLUS (its
  // entries have no address), no AUTO_INVAL_DATA, no write-back cache, and O_TRUNC as a SETATTR.
  connection->want = connection->capable & FUSE_CAP_PARALLEL_DIROPS;
  if (session->locks) {
    connection->want |=
      connection->capable & (FUSE_CAP_POSIX_LOCKS | FUSE_CAP_FLOCK_LOCKS);
  }
  connection->max_write = 1 << 20;
  connection->time_gran = 1;
}

static void on_lookup(fuse_req_t req, fuse_ino_t parent, const char *name) {
  ff_request request = request_of(req, ff_operation_lookup, parent);
  request.name = name;
  hand_over(req, &request);
}

static void on_forget_one(fuse_req_t req, fuse_ino_t node, uint64_t lookups) {
  ff_request request = request_of(req, ff_operation_forget, node);
  request.token = NULL;
  request.count = lookups;
  hand_over(req, &request);
}

static void on_forget(fuse_req_t req, fuse_ino_t node, uint64_t lookups) {
  on_forget_one(req, node, lookups);
  fuse_reply_none(req);
}

static void on_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets) {
  for (size_t i = 0; i < count; i++) on_forget_one(req, forgets[i].ino, forgets[i].nlookup);
  fuse_reply_none(req);
}

static void on_getattr(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  ff_request request = request_of(req, ff_operation_getattr, node);
  set_handle(&request, info);
  hand_over(req, &request);
}

static void on_setattr(
  fuse_req_t req, fuse_ino_t node, struct stat *stat, int fields, struct fuse_file_info *info
) {
  ff_request request = request_of(req, ff_operation_setattr, node);
  set_handle(&request, info);
  if (fields & FUSE_SET_ATTR_MODE) request.fields |= ff_field_mode;
  if (fields & FUSE_SET_ATTR_UID) request.fields |= ff_field_uid;
  if (fields & FUSE_SET_ATTR_GID) request.fields |= ff_field_gid;
  if (fields & FUSE_SET_ATTR_SIZE) request.fields |= ff_field_size;
  if (fields & FUSE_SET_ATTR_ATIME) request.fields |= ff_field_atime;
  if (fields & FUSE_SET_ATTR_MTIME) request.fields |= ff_field_mtime;
  if (fields & FUSE_SET_ATTR_ATIME_NOW) request.fields |= ff_field_atime_now;
  if (fields & FUSE_SET_ATTR_MTIME_NOW) request.fields |= ff_field_mtime_now;
  request.mode = stat->st_mode;
  request.uid = stat->st_uid;
  request.gid = stat->st_gid;
  request.count = (uint64_t)stat->st_size;
  request.atime = nanoseconds(stat->st_atim);
  request.mtime = nanoseconds(stat->st_mtim);
  hand_over(req, &request);
}

static void on_readlink(fuse_req_t req, fuse_ino_t node) {
  ff_request request = request_of(req, ff_operation_readlink, node);
  hand_over(req, &request);
}

static void on_mknod(
  fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t device
) {
  (void)device;
  ff_request request = request_of(req, ff_operation_mknod, parent);
  request.name = name;
  request.mode = mode;
  hand_over(req, &request);
}

static void on_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode) {
  ff_request request = request_of(req, ff_operation_mkdir, parent);
  request.name = name;
  request.mode = mode;
  hand_over(req, &request);
}

static void on_unlink(fuse_req_t req, fuse_ino_t parent, const char *name) {
  ff_request request = request_of(req, ff_operation_unlink, parent);
  request.name = name;
  hand_over(req, &request);
}

static void on_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name) {
  ff_request request = request_of(req, ff_operation_rmdir, parent);
  request.name = name;
  hand_over(req, &request);
}

static void on_symlink(fuse_req_t req, const char *text, fuse_ino_t parent, const char *name) {
  ff_request request = request_of(req, ff_operation_symlink, parent);
  request.name = name;
  request.other_name = text;
  hand_over(req, &request);
}

static void on_rename(
  fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent,
  const char *new_name, unsigned int flags
) {
  ff_request request = request_of(req, ff_operation_rename, parent);
  request.name = name;
  request.other_node = new_parent;
  request.other_name = new_name;
  request.flags = (int32_t)flags;
  hand_over(req, &request);
}

static void on_link(
  fuse_req_t req, fuse_ino_t node, fuse_ino_t new_parent, const char *new_name
) {
  ff_request request = request_of(req, ff_operation_link, node);
  request.other_node = new_parent;
  request.other_name = new_name;
  hand_over(req, &request);
}

static void on_open(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  ff_request request = request_of(req, ff_operation_open, node);
  request.flags = info->flags;
  hand_over(req, &request);
}

static void on_create(
  fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *info
) {
  ff_request request = request_of(req, ff_operation_create, parent);
  request.name = name;
  request.mode = mode;
  request.flags = info->flags;
  hand_over(req, &request);
}

static void on_read(
  fuse_req_t req, fuse_ino_t node, size_t count, off_t offset, struct fuse_file_info *info
) {
  ff_request request = request_of(req, ff_operation_read, node);
  set_handle(&request, info);
  request.offset = (uint64_t)offset;
  request.count = count;
  hand_over(req, &request);
}

static void on_write(
  fuse_req_t req, fuse_ino_t node, const char *bytes, size_t count, off_t offset,
  struct fuse_file_info *info
) {
  ff_request request = request_of(req, ff_operation_write, node);
  set_handle(&request, info);
  request.offset = (uint64_t)offset;
  request.count = count;
  request.data = bytes;
  hand_over(req, &request);
}

static void on_flush(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  ff_request request = request_of(req, ff_operation_flush, node);
  set_handle(&request, info);
  request.owner = info->lock_owner;
  hand_over(req, &request);
}

static void on_release(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  ff_request request = request_of(req, ff_operation_release, node);
  set_handle(&request, info);
  if (info->flock_release) {
    request.owner = info->lock_owner;
    request.fields = ff_lock_whole;
  }
  hand_over(req, &request);
}

static void on_fsync(
  fuse_req_t req, fuse_ino_t node, int data_only, struct fuse_file_info *info
) {
  ff_request request = request_of(req, ff_operation_fsync, node);
  set_handle(&request, info);
  request.flags = data_only;
  hand_over(req, &request);
}

static void on_opendir(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  ff_request request = request_of(req, ff_operation_opendir, node);
  request.flags = info->flags;
  hand_over(req, &request);
}

static void on_readdir(
  fuse_req_t req, fuse_ino_t node, size_t count, off_t offset, struct fuse_file_info *info
) {
  ff_request request = request_of(req, ff_operation_readdir, node);
  set_handle(&request, info);
  request.offset = (uint64_t)offset;
  request.count = count;
  hand_over(req, &request);
}

static void on_releasedir(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info) {
  ff_request request = request_of(req, ff_operation_releasedir, node);
  set_handle(&request, info);
  hand_over(req, &request);
}

static void on_fsyncdir(
  fuse_req_t req, fuse_ino_t node, int data_only, struct fuse_file_info *info
) {
  ff_request request = request_of(req, ff_operation_fsyncdir, node);
  set_handle(&request, info);
  request.flags = data_only;
  hand_over(req, &request);
}

static void on_statfs(fuse_req_t req, fuse_ino_t node) {
  ff_request request = request_of(req, ff_operation_statfs, node);
  hand_over(req, &request);
}

static void on_setxattr(
  fuse_req_t req, fuse_ino_t node, const char *name, const char *value, size_t count, int flags
) {
  ff_request request = request_of(req, ff_operation_setxattr, node);
  request.name = name;
  request.data = value;
  request.count = count;
  request.flags = flags;
  hand_over(req, &request);
}

static void on_getxattr(fuse_req_t req, fuse_ino_t node, const char *name, size_t count) {
  ff_request request = request_of(req, ff_operation_getxattr, node);
  request.name = name;
  request.count = count;
  hand_over(req, &request);
}

static void on_listxattr(fuse_req_t req, fuse_ino_t node, size_t count) {
  ff_request request = request_of(req, ff_operation_listxattr, node);
  request.count = count;
  hand_over(req, &request);
}

static void on_removexattr(fuse_req_t req, fuse_ino_t node, const char *name) {
  ff_request request = request_of(req, ff_operation_removexattr, node);
  request.name = name;
  hand_over(req, &request);
}

static void on_access(fuse_req_t req, fuse_ino_t node, int mask) {
  ff_request request = request_of(req, ff_operation_access, node);
  request.flags = mask;
  hand_over(req, &request);
}

static void on_lseek(
  fuse_req_t req, fuse_ino_t node, off_t offset, int whence, struct fuse_file_info *info
) {
  ff_request request = request_of(req, ff_operation_lseek, node);
  set_handle(&request, info);
  request.offset = (uint64_t)offset;
  request.flags = whence;
  hand_over(req, &request);
}

static void on_fallocate(
  fuse_req_t req, fuse_ino_t node, int mode, off_t offset, off_t length,
  struct fuse_file_info *info
) {
  ff_request request = request_of(req, ff_operation_fallocate, node);
  set_handle(&request, info);
  request.flags = mode;
  request.offset = (uint64_t)offset;
  request.count = (uint64_t)length;
  hand_over(req, &request);
}

static void on_copy_file_range(
  fuse_req_t req, fuse_ino_t node, off_t offset, struct fuse_file_info *info,
  fuse_ino_t other_node, off_t other_offset, struct fuse_file_info *other_info, size_t count,
  int flags
) {
  (void)flags;
  ff_request request = request_of(req, ff_operation_copyrange, node);
  request.handle = info->fh;
  request.has_handle = 1;
  request.offset = (uint64_t)offset;
  request.other_node = other_node;
  request.other_handle = other_info->fh;
  request.other_offset = (uint64_t)other_offset;
  request.count = count;
  hand_over(req, &request);
}

static void on_ioctl(
  fuse_req_t req, fuse_ino_t node, unsigned int command, void *argument,
  struct fuse_file_info *info, unsigned flags, const void *bytes, size_t count, size_t room
) {
  (void)argument;
  (void)flags;
  (void)bytes;
  (void)count;
  (void)room;
  ff_request request = request_of(req, ff_operation_ioctl, node);
  set_handle(&request, info);
  request.flags = (int32_t)command;
  hand_over(req, &request);
}

static ff_request lock_of(
  fuse_req_t req, enum ff_operation operation, fuse_ino_t node, struct fuse_file_info *info
) {
  ff_request request = request_of(req, operation, node);
  set_handle(&request, info);
  request.owner = info->lock_owner;
  return request;
}

static void hand_over_range(fuse_req_t req, ff_request *request, const struct flock *lock) {
  request->mode = (uint32_t)lock->l_type;
  request->offset = (uint64_t)lock->l_start;
  request->count = (uint64_t)lock->l_len;
  request->other_node = (uint64_t)lock->l_pid;
  hand_over(req, request);
}

static void on_getlk(
  fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info, struct flock *lock
) {
  ff_request request = lock_of(req, ff_operation_getlock, node, info);
  hand_over_range(req, &request, lock);
}

static void on_setlk(
  fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info, struct flock *lock, int waits
) {
  ff_request request = lock_of(req, ff_operation_setlock, node, info);
  if (waits) request.fields = ff_lock_waits;
  hand_over_range(req, &request, lock);
}

static void on_flock(fuse_req_t req, fuse_ino_t node, struct fuse_file_info *info, int how) {
  ff_request request = lock_of(req, ff_operation_setlock, node, info);
  const struct flock whole = {
    .l_type = how & LOCK_UN ? F_UNLCK : how & LOCK_EX ? F_WRLCK : F_RDLCK};
  request.fields = ff_lock_whole | (how & LOCK_NB ? 0 : ff_lock_waits);
  hand_over_range(req, &request, &whole);
}

// poll and bmap are not offered; locks come only where INIT asked for them.
const struct fuse_lowlevel_ops ff_operations = {
  .init = on_init,
  .lookup = on_lookup,
  .forget = on_forget,
  .forget_multi = on_forget_multi,
  .getattr = on_getattr,
  .setattr = on_setattr,
  .readlink = on_readlink,
  .mknod = on_mknod,
  .mkdir = on_mkdir,
  .unlink = on_unlink,
  .rmdir = on_rmdir,
  .symlink = on_symlink,
  .rename = on_rename,
  .link = on_link,
  .open = on_open,
  .create = on_create,
  .read = on_read,
  .write = on_write,
  .flush = on_flush,
  .release = on_release,
  .fsync = on_fsync,
  .opendir = on_opendir,
  .readdir = on_readdir,
  .releasedir = on_releasedir,
  .fsyncdir = on_fsyncdir,
  .statfs = on_statfs,
  .setxattr = on_setxattr,
  .getxattr = on_getxattr,
  .listxattr = on_listxattr,
  .removexattr = on_removexattr,
  .access = on_access,
  .lseek = on_lseek,
  .ioctl = on_ioctl,
  .getlk = on_getlk,
  .setlk = on_setlk,
  .flock = on_flock,
  .fallocate = on_fallocate,
  .copy_file_range = on_copy_file_range,
};
