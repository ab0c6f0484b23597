#include "runtime/measure/memory.h"

#include <sys/mman.h>

#include <string>

namespace woa::measure {

Result<Memory> Memory::map(std::size_t bytes, Sharing sharing) {
  const int shared = sharing == Sharing::kPrivate ? MAP_PRIVATE : MAP_SHARED;
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, shared | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (at == MAP_FAILED) return {Code::kExhausted, "no memory for " + std::to_string(bytes) + " bytes"};
  return Memory(std::span(static_cast<std::byte*>(at), bytes));
}

Memory::~Memory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace woa::measure
