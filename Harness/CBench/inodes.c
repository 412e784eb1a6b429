// A chained hash table that doubles when it is full.
#include "inodes.h"

#include <stdlib.h>
#include <unistd.h>

static size_t place(const struct inodes *inodes, dev_t device, ino_t number) {
  uint64_t mixed = ((uint64_t)number ^ (uint64_t)device << 32) * 0x9e3779b97f4a7c15ULL;
  return (size_t)(mixed >> 20) & (inodes->bucket_count - 1);
}

static int grow(struct inodes *inodes) {
  struct inodes larger = {.bucket_count = inodes->bucket_count ? inodes->bucket_count * 2 : 256};
  larger.buckets = calloc(larger.bucket_count, sizeof *larger.buckets);
  if (!larger.buckets) return -1;
  for (size_t i = 0; i < inodes->bucket_count; i++) {
    for (struct inode *inode = inodes->buckets[i], *next; inode; inode = next) {
      next = inode->next;
      struct inode **bucket = &larger.buckets[place(&larger, inode->device, inode->number)];
      inode->next = *bucket;
      *bucket = inode;
    }
  }
  larger.count = inodes->count;
  free(inodes->buckets);
  *inodes = larger;
  return 0;
}

struct inode *inodes_take(struct inodes *inodes, const struct stat *stat, int fd) {
  if (inodes->count >= inodes->bucket_count && grow(inodes) != 0) {
    close(fd);
    return NULL;
  }
  struct inode **bucket = &inodes->buckets[place(inodes, stat->st_dev, stat->st_ino)];
  for (struct inode *inode = *bucket; inode; inode = inode->next) {
    if (inode->number != stat->st_ino || inode->device != stat->st_dev) continue;
    close(fd);
    inode->lookups++;
    return inode;
  }
  struct inode *inode = malloc(sizeof *inode);
  if (!inode) {
    close(fd);
    return NULL;
  }
  *inode = (struct inode){*bucket, stat->st_dev, stat->st_ino, fd, 1};
  *bucket = inode;
  inodes->count++;
  return inode;
}

void inodes_forget(struct inodes *inodes, struct inode *inode, uint64_t lookups) {
  inode->lookups -= lookups < inode->lookups ? lookups : inode->lookups;
  if (inode->lookups > 0) return;
  struct inode **link = &inodes->buckets[place(inodes, inode->device, inode->number)];
  while (*link != inode) link = &(*link)->next;
  *link = inode->next;
  inodes->count--;
  close(inode->fd);
  free(inode);
}

void inodes_free(struct inodes *inodes) {
  for (size_t i = 0; i < inodes->bucket_count; i++) {
    while (inodes->buckets[i]) inodes_forget(inodes, inodes->buckets[i], UINT64_MAX);
  }
  free(inodes->buckets);
}
