// The calls that are timed: plain loops, nothing between two of them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CBench.h"

enum { mebibyte = 1 << 20, small = 4096, small_span = 4096, listing_room = 1 << 15 };

struct client {
  int folder;
  /// The one large file, open.
  int big;
  char *buffer;
  uint32_t files;
};

static uint64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/// The processor's time of a process so far, its work in the kernel too; 0 for one that is gone.
static uint64_t processor_time(int process) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int failed(ssize_t result, ssize_t wanted) {
  if (result == wanted) return 0;
  if (result >= 0) errno = EIO;
  return 1;
}

static int large(const struct client *client, uint32_t count, int is_write) {
  for (uint32_t i = 0; i < count; i++) {
    off_t offset = (off_t)i * mebibyte;
    ssize_t done = is_write ? pwrite(client->big, client->buffer, mebibyte, offset)
                            : pread(client->big, client->buffer, mebibyte, offset);
    if (failed(done, mebibyte)) return -1;
  }
  return 0;
}

static int little(const struct client *client, uint32_t count, int is_write) {
  for (uint32_t i = 0; i < count; i++) {
    off_t offset = (off_t)(i % small_span) * small;
    ssize_t done = is_write ? pwrite(client->big, client->buffer, small, offset)
                            : pread(client->big, client->buffer, small, offset);
    if (failed(done, small)) return -1;
  }
  return 0;
}

static int one_file(const struct client *client, const char *name, enum cb_step step) {
  struct stat stat;
  switch (step) {
    case cb_step_stat: return fstatat(client->folder, name, &stat, 0);
    case cb_step_remove: return unlinkat(client->folder, name, 0);
    default: break;
  }
  int is_new = step == cb_step_create;
  int fd = openat(
    client->folder, name, O_CLOEXEC | (is_new ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY), 0644);
  if (fd < 0) return -1;
  ssize_t done = is_new ? write(fd, client->buffer, small) : read(fd, client->buffer, small);
  if (!failed(done, small)) return close(fd);
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static int each_file(const struct client *client, uint32_t count, enum cb_step step) {
  for (uint32_t i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%u", i % client->files);
    if (one_file(client, name, step) != 0) return -1;
  }
  return 0;
}

static int list(const struct client *client, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    int fd = openat(client->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -1;
    long filled;
    while ((filled = syscall(SYS_getdents64, fd, client->buffer, listing_room)) > 0) {}
    if (close(fd) != 0 || filled < 0) return -1;
  }
  return 0;
}

static int perform(const struct client *client, enum cb_step step, uint32_t count) {
  switch (step) {
    case cb_step_write: return large(client, count, 1);
    case cb_step_read: return large(client, count, 0);
    case cb_step_write_small: return little(client, count, 1);
    case cb_step_read_small: return little(client, count, 0);
    case cb_step_list: return list(client, count);
    case cb_step_create:
    case cb_step_stat:
    case cb_step_open_read:
    case cb_step_remove: return each_file(client, count, step);
  }
  return 0;
}

int32_t cb_run(
  const char *folder, enum cb_step step, uint32_t count, uint32_t files, int32_t server,
  cb_taken *taken
) {
  struct client client = {.folder = -1, .big = -1, .files = files ? files : 1};
  int32_t error = posix_memalign((void **)&client.buffer, small, mebibyte);
  if (error != 0) return error;
  memset(client.buffer, 0x5a, mebibyte);
  client.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int is_big = step == cb_step_write || step == cb_step_read || step == cb_step_write_small
    || step == cb_step_read_small;
  if (client.folder >= 0 && is_big) {
    if (step == cb_step_write) unlinkat(client.folder, "big", 0);
    client.big = openat(client.folder, "big", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  }
  int result = -1;
  if (client.folder >= 0 && (client.big >= 0 || !is_big)) {
    uint64_t own = processor_time(0), other = processor_time(server), start = nanoseconds();
    result = perform(&client, step, count);
    error = errno;
    taken->wall = nanoseconds() - start;
    taken->client = processor_time(0) - own;
    taken->server = processor_time(server) - other;
  } else {
    error = errno;
  }
  if (client.big >= 0) close(client.big);
  if (client.folder >= 0) close(client.folder);
  free(client.buffer);
  return result == 0 ? 0 : error;
}
