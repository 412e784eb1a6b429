// What the C files of this target share.
#ifndef CUSTODY_FUSE_SESSION_H
#define CUSTODY_FUSE_SESSION_H

#define FUSE_USE_VERSION 312
#include <fuse3/fuse_lowlevel.h>

#include "CFuseShims.h"

struct ff_session {
  // One small answer, in one page.
  char room[512] __attribute__((aligned(512)));
  struct fuse_session *fuse;
  struct fuse_buf buffer;
  ff_handler handler;
  void *context;
  uint32_t direct;
  uint32_t allow_mmap;
  uint32_t locks;
  double timeout;
  /// The header of the request that was received.
  uint64_t unique;
  uint32_t opcode;
  uint32_t ready;
};

extern const struct fuse_lowlevel_ops ff_operations;

#endif
