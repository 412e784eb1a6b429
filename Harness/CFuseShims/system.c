// Calls around the mounts that glibc hides without _GNU_SOURCE or does not wrap.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CFuseShims.h"

// man 2 fsopen, not in Debian's glibc headers of every release.
#define FF_FSOPEN_CLOEXEC 1
#define FF_FSMOUNT_CLOEXEC 1
#define FF_FSCONFIG_CMD_CREATE 6

int32_t ff_control_open(void) {
  int context = (int)syscall(SYS_fsopen, "fusectl", FF_FSOPEN_CLOEXEC);
  if (context >= 0) {
    int directory = -1;
    if (syscall(SYS_fsconfig, context, FF_FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0) {
      directory = (int)syscall(SYS_fsmount, context, FF_FSMOUNT_CLOEXEC, 0);
    }
    close(context);
    if (directory >= 0) return directory;
  }
  return open("/sys/fs/fuse/connections", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int32_t ff_control_abort(int32_t control, uint32_t connection) {
  char path[32];
  snprintf(path, sizeof path, "%u/abort", connection);
  int fd = openat(control, path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  int32_t result = write(fd, "1", 1) == 1 ? 0 : errno;
  close(fd);
  return result;
}

int32_t ff_detach(const char *mount_point) {
  return umount2(mount_point, MNT_DETACH | UMOUNT_NOFOLLOW) == 0 ? 0 : errno;
}

int32_t ff_bind(const char *from, const char *to) {
  return mount(from, to, NULL, MS_BIND, NULL) == 0 ? 0 : errno;
}

int32_t ff_mount_place(const char *source, const char *path) {
  if (mount(source, path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=16m") != 0) return errno;
  // Mounts made below it then come and go in the mount namespaces of subjects too.
  if (mount(NULL, path, NULL, MS_SHARED, NULL) == 0) return 0;
  int32_t code = errno;
  umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
  return code;
}

int32_t ff_process_open(int32_t process) { return (int32_t)syscall(SYS_pidfd_open, process, 0); }

int32_t ff_signal(int32_t process_descriptor, int32_t signal) {
  return syscall(SYS_pidfd_send_signal, process_descriptor, signal, NULL, 0) == 0 ? 0 : errno;
}

int32_t ff_limit(int32_t process, int32_t which, uint64_t value) {
  static const int limits[] = {RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_FSIZE};
  if (which < 0 || which > 2) return EINVAL;
  struct rlimit limit = {value, value};
  return prlimit(process, (enum __rlimit_resource)limits[which], &limit, NULL) == 0 ? 0 : errno;
}

int32_t ff_events_new(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int32_t ff_events_add(int32_t events, int32_t descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
  return epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

void ff_events_remove(int32_t events, int32_t descriptor) {
  struct epoll_event event = {0};
  // A descriptor that was closed has left already.
  epoll_ctl(events, EPOLL_CTL_DEL, descriptor, &event);
}

int32_t ff_events_wait(int32_t events, int32_t *ready, uint32_t room, int64_t nanoseconds) {
  struct epoll_event found[64];
  struct timespec wait = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  int count = epoll_pwait2(events, found, room < 64 ? (int)room : 64, &wait, NULL);
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) ready[i] = found[i].data.fd;
  return count;
}

void ff_keep_memory(uint64_t byte_count) {
  int limit = byte_count > INT32_MAX ? INT32_MAX : (int)byte_count;
  mallopt(M_TRIM_THRESHOLD, limit);
  mallopt(M_TOP_PAD, 1 << 20);
}
