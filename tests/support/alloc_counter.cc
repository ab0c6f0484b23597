// Defines malloc and its kin in front of the C library's; with a sanitizer, which does the same, uses its hook instead.
#include "tests/support/alloc_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "runtime/base/sanitizers.h"

#if defined(WOA_THREAD_SANITIZER) || defined(WOA_ADDRESS_SANITIZER)
#define WOA_SANITIZER_ALLOCATES
#endif

namespace woa::test {
namespace {
std::atomic<std::uint64_t> count{0};
thread_local std::uint64_t own_count = 0;
void add_one() noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  ++own_count;
}
}  // namespace

std::uint64_t allocations() noexcept { return count.load(std::memory_order_relaxed); }
std::uint64_t own_allocations() noexcept { return own_count; }

}  // namespace woa::test

#ifdef WOA_SANITIZER_ALLOCATES

// A function of the sanitizers' run time; g++ comes without the header that declares it.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));

namespace {
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { woa::test::add_one(); }, [](const volatile void*) {});
}  // namespace

#else

extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;

#define WOA_INTERPOSE __attribute__((visibility("default")))

WOA_INTERPOSE void* malloc(std::size_t bytes) noexcept {
  woa::test::add_one();
  return __libc_malloc(bytes);
}
WOA_INTERPOSE void* calloc(std::size_t items, std::size_t bytes) noexcept {
  woa::test::add_one();
  return __libc_calloc(items, bytes);
}
WOA_INTERPOSE void* realloc(void* at, std::size_t bytes) noexcept {
  woa::test::add_one();
  return __libc_realloc(at, bytes);
}
WOA_INTERPOSE void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  woa::test::add_one();
  return __libc_memalign(alignment, bytes);
}
WOA_INTERPOSE int posix_memalign(void** at, std::size_t alignment, std::size_t bytes) noexcept {
  woa::test::add_one();
  void* found = __libc_memalign(alignment, bytes);
  if (found == nullptr) return ENOMEM;
  *at = found;
  return 0;
}
}

#endif
