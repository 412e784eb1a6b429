// Answers: fixed-width structs to libfuse's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "session.h"

static struct timespec time_of(int64_t nanoseconds) {
  struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  if (time.tv_nsec < 0) {
    time.tv_nsec += 1000000000;
    time.tv_sec -= 1;
  }
  return time;
}

static struct stat stat_of(const ff_attributes *attributes) {
  struct stat stat;
  memset(&stat, 0, sizeof stat);
  stat.st_ino = attributes->inode;
  stat.st_mode = attributes->mode;
  stat.st_nlink = attributes->link_count;
  stat.st_uid = attributes->uid;
  stat.st_gid = attributes->gid;
  stat.st_size = (off_t)attributes->byte_count;
  stat.st_blocks = (blkcnt_t)attributes->blocks;
  stat.st_blksize = 4096;
  stat.st_atim = time_of(attributes->atime);
  stat.st_mtim = time_of(attributes->mtime);
  stat.st_ctim = time_of(attributes->ctime);
  return stat;
}

static struct fuse_entry_param entry_of(const ff_session *session, const ff_attributes *entry) {
  struct fuse_entry_param result;
  memset(&result, 0, sizeof result);
  result.ino = entry->node;
  result.attr = stat_of(entry);
  result.attr_timeout = session->timeout;
  result.entry_timeout = session->timeout;
  return result;
}

static struct fuse_file_info info_of(const ff_session *session, uint64_t handle) {
  struct fuse_file_info info;
  memset(&info, 0, sizeof info);
  info.fh = handle;
  info.direct_io = session->direct != 0;
  info.keep_cache = session->direct == 0;
  return info;
}

int32_t ff_reply_error(void *token, int32_t error) { return fuse_reply_err(token, error); }

int32_t ff_reply_entry(const ff_session *session, void *token, const ff_attributes *entry) {
  struct fuse_entry_param parameter = entry_of(session, entry);
  return fuse_reply_entry(token, &parameter);
}

int32_t ff_reply_attributes(const ff_session *session, void *token, const ff_attributes *shown) {
  struct stat stat = stat_of(shown);
  return fuse_reply_attr(token, &stat, session->timeout);
}

int32_t ff_reply_open(const ff_session *session, void *token, uint64_t handle, int32_t directory) {
  struct fuse_file_info info = info_of(session, handle);
  if (directory) info.direct_io = info.keep_cache = 0;
  return fuse_reply_open(token, &info);
}

int32_t ff_reply_create(
  const ff_session *session, void *token, const ff_attributes *entry, uint64_t handle
) {
  struct fuse_entry_param parameter = entry_of(session, entry);
  struct fuse_file_info info = info_of(session, handle);
  return fuse_reply_create(token, &parameter, &info);
}

int32_t ff_reply_data(void *token, const void *bytes, uint64_t count) {
  return fuse_reply_buf(token, bytes, count);
}

int32_t ff_reply_written(void *token, uint64_t count) { return fuse_reply_write(token, count); }

int32_t ff_reply_text(void *token, const char *text) { return fuse_reply_readlink(token, text); }

int32_t ff_reply_statistics(void *token, const ff_statistics *statistics) {
  struct statvfs shown;
  memset(&shown, 0, sizeof shown);
  shown.f_bsize = statistics->block_size;
  shown.f_frsize = statistics->block_size;
  shown.f_blocks = statistics->blocks;
  shown.f_bfree = statistics->free_blocks;
  shown.f_bavail = statistics->free_blocks;
  shown.f_files = statistics->files;
  shown.f_ffree = statistics->free_files;
  shown.f_favail = statistics->free_files;
  shown.f_namemax = statistics->longest_name;
  shown.f_flag = statistics->read_only ? ST_RDONLY : 0;
  return fuse_reply_statfs(token, &shown);
}

int32_t ff_reply_offset(void *token, uint64_t offset) {
  return fuse_reply_lseek(token, (off_t)offset);
}

int32_t ff_reply_lock(
  void *token, int32_t type, uint64_t offset, uint64_t count, int32_t process
) {
  const struct flock lock = {
    .l_type = (short)type, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = (off_t)count,
    .l_pid = process};
  return fuse_reply_lock(token, &lock);
}

int32_t ff_reply_size(void *token, uint64_t size) { return fuse_reply_xattr(token, size); }

void ff_reply_none(void *token) { fuse_reply_none(token); }

uint64_t ff_listing_add(
  void *token, void *buffer, uint64_t used, uint64_t capacity, const char *name, uint64_t inode,
  uint32_t type, uint64_t next_offset
) {
  struct stat stat;
  memset(&stat, 0, sizeof stat);
  stat.st_ino = inode;
  stat.st_mode = type;
  uint64_t left = capacity - used;
  size_t needed =
    fuse_add_direntry(token, (char *)buffer + used, left, name, &stat, (off_t)next_offset);
  return needed > left ? 0 : used + needed;
}
