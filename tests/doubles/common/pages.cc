#include "tests/doubles/common/pages.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace woa::doubles {

Pages pages_of(const void* at, std::size_t bytes) {
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(at), end = begin + bytes;
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return Pages::kUnmapped;
  char line[512];
  std::uint64_t reached = begin;
  bool writable = true;
  while (reached < end && std::fgets(line, sizeof line, maps) != nullptr) {
    std::uint64_t from = 0, to = 0;
    char rights[8] = {};
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &from, &to, rights) != 3 || to <= reached) continue;
    if (from > reached || rights[0] != 'r') break;
    writable = writable && rights[1] == 'w';
    reached = to;
  }
  std::fclose(maps);
  return reached < end ? Pages::kUnmapped : writable ? Pages::kWritable : Pages::kReadOnly;
}

}  // namespace woa::doubles
