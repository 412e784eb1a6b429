// Sessions: mount, receive, process, end. One thread only.
#define _GNU_SOURCE
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// Debian's <linux/fuse.h> is older than the kernel: bit 36 of the INIT flags.
#define FF_DIRECT_IO_ALLOW_MMAP (1ULL << 36)

static char last_log[512];

static void keep_log(enum fuse_log_level level, const char *format, va_list arguments) {
  (void)level;
  vsnprintf(last_log, sizeof last_log, format, arguments);
  size_t length = strlen(last_log);
  if (length > 0 && last_log[length - 1] == '\n') last_log[length - 1] = 0;
}

const char *ff_last_log(void) { return last_log; }

static ssize_t read_device(int fd, void *buffer, size_t count, void *userdata) {
  (void)userdata;
  return read(fd, buffer, count);
}

// Most answers are a header and a struct: in one piece the kernel looks up one page, not two.
static ssize_t write_small(struct ff_session *session, int fd, struct iovec *parts, int count) {
  char *room = session->room;
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    if (parts[i].iov_len > sizeof session->room - used) return writev(fd, parts, count);
    memcpy(room + used, parts[i].iov_base, parts[i].iov_len);
    used += parts[i].iov_len;
  }
  return write(fd, room, used);
}

// libfuse 3.14 does not know the second word of INIT flags: the bits are added on the way out.
static ssize_t write_device(int fd, struct iovec *parts, int count, void *userdata) {
  struct ff_session *session = userdata;
  if (session->opcode != FUSE_INIT || session->ready || count != 2) {
    return write_small(session, fd, parts, count);
  }
  const struct fuse_out_header *header = parts[0].iov_base;
  struct fuse_init_out answer;
  if (header->error != 0 || parts[1].iov_len < offsetof(struct fuse_init_out, unused)) {
    return writev(fd, parts, count);
  }
  memset(&answer, 0, sizeof answer);
  memcpy(
    &answer, parts[1].iov_base,
    parts[1].iov_len < sizeof answer ? parts[1].iov_len : sizeof answer);
  // Without this the kernel asks for security.capability before each cached write.
  answer.flags |= FUSE_HANDLE_KILLPRIV_V2;
  if (session->direct && session->allow_mmap) {
    answer.flags |= FUSE_INIT_EXT;
    answer.flags2 |= (uint32_t)(FF_DIRECT_IO_ALLOW_MMAP >> 32);
  }
  struct iovec changed[2] = {parts[0], {&answer, parts[1].iov_len}};
  ssize_t written = writev(fd, changed, 2);
  if (written > 0) session->ready = 1;
  return written;
}

ff_session *ff_session_new(const ff_options *options, ff_handler handler, void *context) {
  fuse_set_log_func(keep_log);
  last_log[0] = 0;
  struct ff_session *session = aligned_alloc(_Alignof(struct ff_session), sizeof *session);
  if (!session) return NULL;
  memset(session, 0, sizeof *session);
  session->handler = handler;
  session->context = context;
  session->direct = options->direct;
  session->allow_mmap = options->allow_mmap;
  session->locks = options->locks;
  session->timeout = options->timeout;
  char name[] = "custody", dash_o[] = "-o";
  char *list = strdup(options->mount_options);
  char *arguments[] = {name, dash_o, list, NULL};
  struct fuse_args args = FUSE_ARGS_INIT(3, arguments);
  if (list) session->fuse = fuse_session_new(&args, &ff_operations, sizeof ff_operations, session);
  fuse_opt_free_args(&args);
  free(list);
  if (!session->fuse) {
    free(session);
    errno = EINVAL;
    return NULL;
  }
  return session;
}

int32_t ff_session_mount(ff_session *session, const char *mount_point) {
  errno = 0;
  if (fuse_session_mount(session->fuse, mount_point) != 0) return errno ? errno : EIO;
  int fd = fuse_session_fd(session->fuse);
  const struct fuse_custom_io io = {.read = read_device, .writev = write_device};
  if (fuse_session_custom_io(session->fuse, &io, fd) != 0) return EINVAL;
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return errno;
  if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0) return errno;
  return 0;
}

int32_t ff_session_descriptor(const ff_session *session) {
  return fuse_session_fd(session->fuse);
}

int64_t ff_session_receive(ff_session *session) {
  int size = fuse_session_receive_buf(session->fuse, &session->buffer);
  if (size == 0) return -ENODEV;
  if (size == -EAGAIN || size == -EINTR) return 0;
  if (size < 0) return size;
  const struct fuse_in_header *header = session->buffer.mem;
  session->unique = header->unique;
  session->opcode = header->opcode;
  return size;
}

uint64_t ff_session_interrupted(const ff_session *session) {
  if (session->opcode != FUSE_INTERRUPT) return 0;
  const struct fuse_in_header *header = session->buffer.mem;
  const struct fuse_interrupt_in *body = (const void *)(header + 1);
  return body->unique;
}

void ff_session_process(ff_session *session) {
  fuse_session_process_buf(session->fuse, &session->buffer);
}

void ff_session_free(ff_session *session) {
  if (!session) return;
  fuse_session_destroy(session->fuse);
  free(session->buffer.mem);
  free(session);
}

int32_t ff_session_forget_name(ff_session *session, const char *name, uint32_t byte_count) {
  struct fuse_notify_inval_entry_out what = {.parent = FUSE_ROOT_ID, .namelen = byte_count};
  struct fuse_out_header header = {
    .len = sizeof header + sizeof what + byte_count + 1, .error = FUSE_NOTIFY_INVAL_ENTRY};
  struct iovec parts[3] = {
    {&header, sizeof header}, {&what, sizeof what}, {(void *)name, byte_count + 1}};
  return writev(ff_session_descriptor(session), parts, 3) < 0 ? errno : 0;
}
