// Stands before the C library's fopen() in the nodes of tests. libfabric 1.17 reads the whole of /proc/kallsyms twice
// when a process first asks for a provider, to learn what RDMA drivers can do: 0.2 s of processor time, and ten times
// as much under ThreadSanitizer. Without the file it takes drivers to be without peer memory, which no test needs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

__attribute__((visibility("default"))) FILE* fopen(const char* path, const char* mode) {
  typedef FILE* (*Open)(const char*, const char*);
  static Open next;  // a thread that comes first along with another finds the same
  if (strcmp(path, "/proc/kallsyms") == 0) {
    errno = ENOENT;
    return NULL;
  }
  Open open = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (open == NULL) {
    *(void**)&open = dlsym(RTLD_NEXT, "fopen");
    __atomic_store_n(&next, open, __ATOMIC_RELAXED);
  }
  return open(path, mode);
}
