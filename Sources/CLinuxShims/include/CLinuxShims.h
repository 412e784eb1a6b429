// What Swift cannot call itself: variadic calls, cast macros and calls that glibc hides without
// _GNU_SOURCE. Feature macros stay in shims.c. Prefix ls_.
#ifndef CUSTODY_LINUX_SHIMS_H
#define CUSTODY_LINUX_SHIMS_H

#include <stdint.h>

/// openat(2) with a mode. Returns a descriptor, or -1 with errno set.
int ls_openat(int directory, const char *_Nonnull name, int flags, uint32_t mode);

#endif
