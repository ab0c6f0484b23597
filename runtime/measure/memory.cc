#include "runtime/measure/memory.h"

#include <sys/mman.h>

#include <fstream>
#include <limits>
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

std::size_t kib_of(const char* file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string word; stream >> word; stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::size_t kib = 0;
    if (word == key && stream >> kib) return kib;
  }
  return 0;
}

std::size_t available_bytes() { return kib_of("/proc/meminfo", "MemAvailable:") * 1024; }

}  // namespace woa::measure
