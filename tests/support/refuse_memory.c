/* Preloaded by tests: refuses memory once, at one place of the code.
 *
 * A place is the chain of calls that led to an allocation; its name stays the same from run to run. Only places below a
 * function of the project count, and only while woa_refuse_memory(1) holds, and in programs `woa` that begin then.
 *   WOA_PLACES_FILE=FILE   appends each place when it is met first: "NAME FRAME..."
 *   WOA_REFUSE=NAME        the allocation that meets this place first, of all processes, gets nothing; that makes FILE
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kDeepest = 64, kOurs = 1, kPlaces = 1 << 16 };

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static _Atomic(uint64_t) met[kPlaces];
static atomic_int armed, refused;
static atomic_long live; /* allocations that were not freed */
static uint64_t wanted;
static int file = -1;
static __thread int busy; /* this code's own calls are not looked at */

static char now[] = "WOA_REFUSE_NOW=0";
void woa_refuse_memory(int on) {
  now[sizeof now - 2] = on ? '1' : '0';
  atomic_store(&armed, on);
}
long woa_live_allocations(void) { return atomic_load(&live); }

__attribute__((constructor)) static void begin(void) {
  void *frame[2];
  busy = 1;
  backtrace(frame, 2); /* loads what it needs */
  const char *name = getenv("WOA_REFUSE");
  if (name != NULL) wanted = strtoull(name, NULL, 16);
  name = getenv("WOA_PLACES_FILE");
  if (name != NULL && wanted == 0) file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  name = getenv("WOA_REFUSE_NOW");
  armed = name != NULL && *name == '1' && strcmp(program_invocation_short_name, "woa") == 0;
  if (!armed) putenv(now);
  busy = 0;
}

static int is_ours(const struct link_map *map) {
  const char *slash = strrchr(map->l_name, '/');
  const char *name = slash != NULL ? slash + 1 : map->l_name;
  return strncmp(name, "libwoa.", 7) == 0 || strncmp(name, "_woa", 4) == 0 ||
         (*name == 0 && strcmp(program_invocation_short_name, "woa") == 0);
}

static void write_place(uint64_t place, void *const *frames, int count) {
  char line[4096];
  int length = snprintf(line, sizeof line, "%016llx", (unsigned long long)place);
  for (int k = 0; k < count && length < (int)sizeof line - 200; ++k) {
    struct dl_find_object found;
    if (_dl_find_object(frames[k], &found) != 0) continue;
    const char *name = strrchr(found.dlfo_link_map->l_name, '/');
    length += snprintf(line + length, sizeof line - (size_t)length, " %.60s+%lx", name != NULL ? name + 1 : "",
                       (unsigned long)((uintptr_t)frames[k] - found.dlfo_link_map->l_addr));
  }
  line[length++] = '\n';
  if (write(file, line, (size_t)length) != length) abort();
}

/* True once, at the wanted place. */
static int refuses(void) {
  if (busy || !atomic_load_explicit(&armed, memory_order_relaxed)) return 0;
  busy = 1;
  void *frames[kDeepest];
  const int count = backtrace(frames, kDeepest);
  uint64_t place = 14695981039346656037ULL; /* FNV-1a */
  int ours = 0;
  for (int k = 2; k < count; ++k) {
    struct dl_find_object found;
    if (_dl_find_object(frames[k], &found) != 0) continue;
    if (ours < kOurs) place = (place ^ ((uintptr_t)frames[k] - found.dlfo_link_map->l_addr)) * 1099511628211ULL;
    ours += is_ours(found.dlfo_link_map);
  }
  int refuse = 0;
  if (ours > 0 && wanted != 0) {
    if (place == wanted && atomic_exchange(&refused, 1) == 0) {
      const int made = open(getenv("WOA_PLACES_FILE"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      refuse = made >= 0;
      if (refuse) close(made);
    }
  } else if (ours > 0 && file >= 0) {
    for (uint64_t at = place % kPlaces;; at = (at + 1) % kPlaces) {
      uint64_t none = 0;
      if (atomic_compare_exchange_strong(&met[at], &none, place)) {
        write_place(place, frames + 2, count - 2);
        break;
      }
      if (none == place) break;
    }
  }
  busy = 0;
  if (refuse) errno = ENOMEM;
  return refuse;
}

static void *counted(void *memory) {
  if (memory != NULL) atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
  return memory;
}

void *malloc(size_t bytes) { return refuses() ? NULL : counted(__libc_malloc(bytes)); }
void *calloc(size_t count, size_t bytes) { return refuses() ? NULL : counted(__libc_calloc(count, bytes)); }
void *realloc(void *old, size_t bytes) {
  if (refuses()) return NULL;
  void *const memory = __libc_realloc(old, bytes);
  if (old == NULL) return counted(memory);
  if (memory == NULL && bytes == 0) atomic_fetch_sub(&live, 1);
  return memory;
}
void *memalign(size_t alignment, size_t bytes) { return refuses() ? NULL : counted(__libc_memalign(alignment, bytes)); }
void *aligned_alloc(size_t alignment, size_t bytes) {
  return refuses() ? NULL : counted(__libc_memalign(alignment, bytes));
}
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  if (refuses()) return ENOMEM;
  *out = counted(__libc_memalign(alignment, bytes));
  return *out != NULL ? 0 : ENOMEM;
}
void __libc_free(void *);
void free(void *memory) {
  if (memory != NULL) atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
  __libc_free(memory);
}
