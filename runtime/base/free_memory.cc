#include "runtime/base/free_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>

#include "runtime/base/cgroup_limits.h"
#include "runtime/base/unique_fd.h"

namespace woa {

std::uint64_t number_behind(const std::string& file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string word; stream >> word; stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::uint64_t number = 0;
    if (word == key && stream >> number) return number;
  }
  return 0;
}

std::uint64_t available_bytes() {
  const std::uint64_t available = number_behind("/proc/meminfo", "MemAvailable:") * 1024;
  const auto group = cgroup_limits().memory;
  return group ? std::min(available, group->most - std::min(group->most, group->used)) : available;
}

std::uint64_t anonymous_bytes(int process) noexcept {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/statm", process);
  const UniqueFd file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 256> text{};
  if (file.get() < 0 || ::read(file.get(), text.data(), text.size() - 1) <= 0) return 0;
  unsigned long long resident = 0, shared = 0;  // in pages
  if (std::sscanf(text.data(), "%*u %llu %llu", &resident, &shared) != 2) return 0;
  return (resident - std::min(resident, shared)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace woa
