#include "runtime/base/cgroup_limits.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace woa {
namespace {

namespace fs = std::filesystem;

// A group's own limit; nothing for "max" or a missing file.
std::optional<CgroupLimit> limit_in(const fs::path& group, const char* limit, const char* usage) {
  CgroupLimit found{0, 0, (group / limit).string()};
  if (!(std::ifstream(found.file) >> found.most)) return std::nullopt;
  std::ifstream(group / usage) >> found.used;
  return found;
}

// "200000 100000", microseconds of quota and period: two cores.
std::optional<CgroupLimit> cores_in(const fs::path& group) {
  CgroupLimit found{0, 0, (group / "cpu.max").string()};
  std::uint64_t quota = 0, period = 0;
  if (!(std::ifstream(found.file) >> quota >> period) || period == 0) return std::nullopt;
  found.most = quota * 1000 / period;
  return found;
}

std::uint64_t room(const CgroupLimit& limit) { return limit.most - std::min(limit.most, limit.used); }

void tighten(std::optional<CgroupLimit>& known, const std::optional<CgroupLimit>& other) {
  if (other && (!known || room(*other) < room(*known))) known = other;
}

// The path behind `0::`, the line of cgroup v2; nothing without one.
std::optional<fs::path> group_of(const std::string& membership) {
  const std::size_t line = membership.starts_with("0::") ? 0 : membership.find("\n0::");
  if (line == std::string::npos) return std::nullopt;
  const std::size_t begin = membership.find("::", line) + 2;
  return fs::path(membership.substr(begin, membership.find('\n', begin) - begin));
}

}  // namespace

CgroupLimits read_cgroup_limits(const std::string& membership, const fs::path& mount) {
  CgroupLimits limits;
  const auto group = group_of(membership);
  if (!group) return limits;
  for (fs::path inner = group->relative_path();; inner = inner.parent_path()) {
    const fs::path folder = mount / inner;
    tighten(limits.memory, limit_in(folder, "memory.max", "memory.current"));
    tighten(limits.processes, limit_in(folder, "pids.max", "pids.current"));
    tighten(limits.cores, cores_in(folder));
    if (inner.empty()) return limits;
  }
}

CgroupLimits cgroup_limits() {
  std::ifstream file("/proc/self/cgroup");
  const std::string membership{std::istreambuf_iterator<char>(file), {}};
  std::error_code error;
  const fs::path hybrid = "/sys/fs/cgroup/unified";  // beside groups of version 1
  return read_cgroup_limits(membership, fs::is_directory(hybrid, error) ? hybrid : "/sys/fs/cgroup");
}

}  // namespace woa
