/* Preloaded where an instrumenter slows all: a clock that goes on by 300 ns at each look, so that what is short stays
 * short to whoever takes its time. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  enum { kStep_ns = 300, kSecond_ns = 1000000000 };
  static atomic_llong now_ns = kSecond_ns;
  const long long now = atomic_fetch_add(&now_ns, kStep_ns);
  (void)clock;
  time->tv_sec = now / kSecond_ns;
  time->tv_nsec = now % kSecond_ns;
  return 0;
}
