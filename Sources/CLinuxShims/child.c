#define _GNU_SOURCE
#include "CLinuxShims.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// Adds the descriptor pairs. The kernel may have put one of ours where one of theirs goes, so
/// all are first moved above every target, then down to their places.
static int add_descriptors(posix_spawn_file_actions_t *actions, const ls_child *child) {
  int32_t above = 3;
  for (uint64_t i = 0; i < child->descriptor_pairs; i++) {
    for (int side = 0; side < 2; side++) {
      int32_t fd = child->descriptors[2 * i + side];
      if (fd >= above) above = fd + 1;
    }
  }
  int error = 0;
  for (uint64_t i = 0; error == 0 && i < child->descriptor_pairs; i++) {
    error = posix_spawn_file_actions_adddup2(
      actions, child->descriptors[2 * i], above + (int32_t)i);
  }
  int32_t last = 2;
  for (uint64_t i = 0; error == 0 && i < child->descriptor_pairs; i++) {
    int32_t theirs = child->descriptors[2 * i + 1];
    if (theirs > last) last = theirs;
    error = posix_spawn_file_actions_adddup2(actions, above + (int32_t)i, theirs);
  }
  for (int32_t fd = 0; error == 0 && fd < last; fd++) {
    int given = fd < 3;
    for (uint64_t i = 0; i < child->descriptor_pairs; i++) {
      if (child->descriptors[2 * i + 1] == fd) given = 1;
    }
    if (!given) error = posix_spawn_file_actions_addclose(actions, fd);
  }
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(actions, last + 1);
  return error;
}

/// Whether standard descriptor `fd` is left to the child as it is.
static int is_inherited(const ls_child *child, int32_t fd) {
  for (uint64_t i = 0; i < child->descriptor_pairs; i++) {
    if (child->descriptors[2 * i + 1] == fd) return 0;
  }
  return 1;
}

int ls_spawn(const ls_child *child, int32_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (child->new_session) flags |= POSIX_SPAWN_SETSID;
  if (child->new_process_group) flags |= POSIX_SPAWN_SETPGROUP;
  error = posix_spawnattr_setflags(&attributes, flags);
  if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (error == 0) error = posix_spawnattr_setpgroup(&attributes, 0);
  if (error == 0 && child->working_directory) {
    error = posix_spawn_file_actions_addchdir_np(&actions, child->working_directory);
  }
  if (error == 0) error = add_descriptors(&actions, child);
  // An input that nobody gave is empty rather than the terminal of the parent.
  if (error == 0 && is_inherited(child, 0)) {
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  }
  pid_t started = -1;
  if (error == 0) {
    error = posix_spawn(
      &started, child->executable, &actions, &attributes, child->arguments, child->environment);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  *pid = started;
  return error;
}

int ls_pidfd_open(int32_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int ls_pidfd_signal(int fd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
}

int32_t ls_wait(int32_t pid, int block, ls_exit *result) {
  int status = 0;
  struct rusage usage;
  memset(&usage, 0, sizeof usage);
  pid_t got = wait4(pid, &status, block ? 0 : WNOHANG, &usage);
  if (got <= 0) return got;
  *result = (ls_exit){
    .exited = WIFEXITED(status),
    .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
    .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
    .core_dumped = WIFSIGNALED(status) && WCOREDUMP(status),
    .user_microseconds = usage.ru_utime.tv_sec * 1000000ll + usage.ru_utime.tv_usec,
    .system_microseconds = usage.ru_stime.tv_sec * 1000000ll + usage.ru_stime.tv_usec,
    .peak_resident_kib = usage.ru_maxrss,
  };
  return got;
}
