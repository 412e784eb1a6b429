// Includes only: feature macros here would clash with Swift's own C library module.
#include <openssl/err.h>
#include <openssl/evp.h>
