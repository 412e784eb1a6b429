#define FUSE_USE_VERSION 314
#include "CFuseShims.h"

#include <fuse3/fuse_lowlevel.h>

int32_t ff_version(void) { return fuse_version(); }
