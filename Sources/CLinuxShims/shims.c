#define _GNU_SOURCE
#include "CLinuxShims.h"

#include <fcntl.h>

int ls_openat(int directory, const char *name, int flags, uint32_t mode) {
  return openat(directory, name, flags, mode);
}
