// What /proc tells of a process: text that is read thousands of times a second in gate mode.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CFuseShims.h"

static size_t text_of(const char *path, char *text, size_t room) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, room - 1);
  close(file);
  if (count < 0) count = 0;
  text[count] = 0;
  return (size_t)count;
}

static uint64_t number_after(const char *text, const char *word) {
  const char *place = strstr(text, word);
  return place ? strtoull(place + strlen(word), NULL, 10) : 0;
}

// True when an uninterruptible sleep is one for a disk, which ends by itself. The others wait for
// the lock of a file or folder that another thread holds until its own request is answered.
static int waits_for_disk(int32_t process, int32_t thread) {
  static const char *const words[] = {"folio", "page", "bio", "blk", "buffer", "swap", "filemap"};
  char path[64], text[128];
  snprintf(path, sizeof path, "/proc/%d/task/%d/wchan", process, thread);
  if (text_of(path, text, sizeof text) == 0) return 1;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strstr(text, words[i])) return 1;
  }
  return 0;
}

static ff_thread thread_of(int32_t process, int32_t thread) {
  char path[64], text[4096];
  ff_thread result = {thread, 0, 0};
  snprintf(path, sizeof path, "/proc/%d/task/%d/status", process, thread);
  text_of(path, text, sizeof text);
  const char *state = strstr(text, "State:\t");
  if (state) result.state = state[7];
  if (result.state == 'D' && !waits_for_disk(process, thread)) result.state = 'S';
  result.switches = number_after(text, "\nvoluntary_ctxt_switches:\t")
    + number_after(text, "\nnonvoluntary_ctxt_switches:\t");
  return result;
}

static int32_t add(int32_t process, ff_thread *threads, int32_t count, int32_t room) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *folder = opendir(path);
  if (!folder) return count;
  int32_t first = count;
  for (struct dirent *entry; count < room && (entry = readdir(folder));) {
    int32_t thread = atoi(entry->d_name);
    if (thread > 0) threads[count++] = thread_of(process, thread);
  }
  closedir(folder);
  int32_t last = count;
  for (int32_t i = first; i < last; i++) {
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, threads[i].thread);
    if (text_of(path, text, sizeof text) == 0) continue;
    for (char *rest = text, *end; count < room; rest = end) {
      int32_t child = (int32_t)strtol(rest, &end, 10);
      if (end == rest) break;
      count = add(child, threads, count, room);
    }
  }
  return count;
}

int32_t ff_threads(int32_t process, ff_thread *threads, int32_t room) {
  return add(process, threads, 0, room);
}

int32_t ff_run_in_turn(int32_t process) {
  cpu_set_t ours, one;
  if (sched_getaffinity(0, sizeof ours, &ours) != 0) return errno;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE; core++) {
    if (CPU_ISSET(core, &ours)) {
      CPU_SET(core, &one);
      break;
    }
  }
  if (sched_setaffinity(process, sizeof one, &one) != 0) return errno;
  struct sched_param first = {.sched_priority = 1};
  return sched_setscheduler(process, SCHED_FIFO, &first) == 0 ? 0 : errno;
}
