// libfuse's low-level API behind fixed-width types. Prefix ff_.
#ifndef CUSTODY_FUSE_SHIMS_H
#define CUSTODY_FUSE_SHIMS_H

#include <stdint.h>

/// The version of the libfuse that is linked, 314 for 3.14.
int32_t ff_version(void);

#endif
