// The files and folders that the kernel knows of, found by device and number.
#ifndef CUSTODY_BENCH_INODES_H
#define CUSTODY_BENCH_INODES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct inode {
  struct inode *next;
  dev_t device;
  ino_t number;
  /// Opened with O_PATH.
  int fd;
  /// References that the kernel holds.
  uint64_t lookups;
};

struct inodes {
  struct inode **buckets;
  size_t bucket_count, count;
};

/// The inode of `stat` with one reference more. Takes `fd`: a known one has its own and closes it.
/// Returns NULL with errno set, `fd` closed, when there is no memory.
struct inode *inodes_take(struct inodes *inodes, const struct stat *stat, int fd);

/// Gives references back; the last one frees.
void inodes_forget(struct inodes *inodes, struct inode *inode, uint64_t lookups);

/// Frees all of them.
void inodes_free(struct inodes *inodes);

#endif
