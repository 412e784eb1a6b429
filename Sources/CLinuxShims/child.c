#define _GNU_SOURCE
#include "CLinuxShims.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mount.h>
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

/// The most descriptors that an enclosed child can be given.
enum { enclosed_pairs = 16 };

/// Puts the descriptors in their places, as add_descriptors does; all others go with exec.
static int place_descriptors(const ls_child *child) {
  int moved[enclosed_pairs];
  int32_t above = 3, last = 2;
  if (child->descriptor_pairs > enclosed_pairs) return EINVAL;
  for (uint64_t i = 0; i < 2 * child->descriptor_pairs; i++) {
    if (child->descriptors[i] >= above) above = child->descriptors[i] + 1;
  }
  for (uint64_t i = 0; i < child->descriptor_pairs; i++) {
    moved[i] = fcntl(child->descriptors[2 * i], F_DUPFD_CLOEXEC, above);
    if (moved[i] < 0) return errno;
  }
  if (syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC) != 0) return errno;
  for (uint64_t i = 0; i < child->descriptor_pairs; i++) {
    int32_t theirs = child->descriptors[2 * i + 1];
    if (theirs > last) last = theirs;
    if (dup2(moved[i], theirs) < 0) return errno;
  }
  if (!is_inherited(child, 0)) return 0;
  int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return empty < 0 || dup2(empty, 0) < 0 ? errno : 0;
}

/// The child's part of `spawn_enclosed`, by calls that are safe after the fork of a program with
/// threads. Returns an errno; not at all when the program runs.
static int run_enclosed(const ls_child *child) {
  for (int signal = 1; signal < NSIG; signal++) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(signal, &standard, NULL);
  }
  if (setsid() < 0) return errno;
  if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return errno;
  if (mount("none", "/proc", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return errno;
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL) != 0) return errno;
  if (child->working_directory && chdir(child->working_directory) != 0) return errno;
  int error = place_descriptors(child);
  if (error != 0) return error;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(child->executable, child->arguments, child->environment);
  return errno;
}

/// posix_spawn(3) makes no namespaces. The child says by a pipe why it could not start.
static int spawn_enclosed(const ls_child *child, int32_t *pid) {
  int report[2];
  sigset_t all, old;
  if (pipe2(report, O_CLOEXEC) != 0) return errno;
  // No handler of ours may run in the child.
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  long started = syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL, NULL, NULL, 0);
  int error = errno;
  if (started == 0) {
    error = run_enclosed(child);
    ssize_t told = write(report[1], &error, sizeof error);
    _exit(told == sizeof error ? 127 : 126);
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  close(report[1]);
  if (started > 0) {
    int told = 0;
    ssize_t count;
    do count = read(report[0], &told, sizeof told);
    while (count < 0 && errno == EINTR);
    error = count == sizeof told ? told : 0;
    if (error != 0) waitpid((pid_t)started, NULL, 0);
    *pid = (int32_t)started;
  }
  close(report[0]);
  return error;
}

int ls_spawn(const ls_child *child, int32_t *pid) {
  if (child->new_namespaces) return spawn_enclosed(child, pid);
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
