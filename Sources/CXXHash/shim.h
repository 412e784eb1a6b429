// Includes only: feature macros here would clash with Swift's own C library module.
#include <xxhash.h>
