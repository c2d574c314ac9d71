/* Bytes as a file, for readers that take a path. The path of a descriptor is the same in every run, so inputs may name
 * it. */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY_FILE = 100, MEMORY_FILE_2 = 101 };
#define MEMORY_FILE_PATH "/proc/self/fd/100"
#define MEMORY_FILE_2_PATH "/proc/self/fd/101"

static inline void memory_file_put(int descriptor, const void *data, size_t size) {
  int fd = memfd_create("fuzz", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size || dup2(fd, descriptor) != descriptor) {
    exit(1);
  }
  close(fd);
}

#endif
