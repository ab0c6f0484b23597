/* Preloaded by tests: counts what a hot path must not do. Each process appends one line of JSON to $WOA_COUNT_FILE when
 * it ends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { kLarge = 4096 };
static atomic_ulong allocations, locks, large_copies, writes, sleeps, wakes;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

void *malloc(size_t bytes) {
  atomic_fetch_add(&allocations, 1);
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  atomic_fetch_add(&allocations, 1);
  return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  atomic_fetch_add(&allocations, 1);
  return __libc_realloc(old, bytes);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*next)(pthread_mutex_t *);
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  atomic_fetch_add(&locks, 1);
  return next(mutex);
}

/* Plain loops: the compiler must not turn them into calls of themselves. */
__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memmove(void *to, const void *from, size_t bytes) {
  unsigned char *t = to;
  const unsigned char *f = from;
  if (bytes > kLarge) atomic_fetch_add(&large_copies, 1);
  if (t < f) {
    for (size_t k = 0; k < bytes; ++k) t[k] = f[k];
  } else {
    for (size_t k = bytes; k > 0; --k) t[k - 1] = f[k - 1];
  }
  return to;
}
void *memcpy(void *restrict to, const void *restrict from, size_t bytes) { return memmove(to, from, bytes); }

ssize_t write(int file, const void *data, size_t bytes) {
  static ssize_t (*next)(int, const void *, size_t);
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "write");
  atomic_fetch_add(&writes, 1);
  if (bytes > kLarge) atomic_fetch_add(&large_copies, 1);
  return next(file, data, bytes);
}
ssize_t read(int file, void *data, size_t bytes) {
  static ssize_t (*next)(int, void *, size_t);
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "read");
  const ssize_t got = next(file, data, bytes);
  if (got > kLarge) atomic_fetch_add(&large_copies, 1);
  return got;
}

/* The doorbell's futex calls: how often somebody slept, and how often somebody made a call to end a sleep. */
long syscall(long number, ...) {
  static long (*next)(long, ...);
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "syscall");
  long a[6];
  va_list list;
  va_start(list, number);
  for (int k = 0; k < 6; ++k) a[k] = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT) atomic_fetch_add(&sleeps, 1);
  if (number == SYS_futex && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE) atomic_fetch_add(&wakes, 1);
  return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("WOA_COUNT_FILE");
  char command[256] = "", line[640];
  const int cmdline = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = cmdline < 0 ? 0 : read(cmdline, command, sizeof command - 1);
  if (cmdline >= 0) close(cmdline);
  if (path == NULL || length <= 0) return;
  for (ssize_t k = 0; k + 1 < length; ++k) {
    if (command[k] == '\0') command[k] = ' ';
  }
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const int bytes = snprintf(line, sizeof line,
                             "{\"command\":\"%s\",\"allocations\":%lu,\"locks\":%lu,\"writes\":%lu,\"large_copies\":%"
                             "lu,\"sleeps\":%lu,\"wakes\":%lu}\n",
                             command, allocations, locks, writes, large_copies, sleeps, wakes);
  if (file >= 0 && write(file, line, (size_t)bytes) < 0) perror("count_calls");
  if (file >= 0) close(file);
}
