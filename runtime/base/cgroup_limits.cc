#include "runtime/base/cgroup_limits.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "runtime/base/free_memory.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62;  // version 1 writes one of about 2^63

// Pages of files in the cache, which the group gives back at once if it needs them: shared memory is not among them.
std::uint64_t cached_in(const std::string& group) {
  const std::string file = group + "memory.stat";
  const std::uint64_t files = number_behind(file, "file");  // version 2
  const std::uint64_t cache = files != 0 ? files : number_behind(file, "total_cache");
  const std::uint64_t shared = number_behind(file, files != 0 ? "shmem" : "total_shmem");
  return cache - std::min(cache, shared);
}

// A group's own limit; nothing for "max" or a missing file.
std::optional<CgroupLimit> limit_in(const std::string& group, const char* limit, const char* usage) {
  CgroupLimit found{0, 0, group + limit};
  if (!(std::ifstream(found.file) >> found.most) || found.most >= kNoLimit) return std::nullopt;
  std::ifstream(group + usage) >> found.used;
  return found;
}

std::optional<CgroupLimit> memory_in(const std::string& group, const char* limit, const char* usage) {
  auto found = limit_in(group, limit, usage);
  if (found) found->used -= std::min(found->used, cached_in(group));
  return found;
}

// "200000 100000", microseconds of quota and period: two cores. Version 1 has a file for each, and a quota of -1.
std::optional<CgroupLimit> cores_in(const std::string& group) {
  std::int64_t quota = 0, period = 0;
  std::string file = group + "cpu.max";
  if (std::ifstream both(file); both.is_open()) {
    if (!(both >> quota >> period)) return std::nullopt;
  } else {
    file = group + "cpu.cfs_quota_us";
    std::ifstream(file) >> quota;
    std::ifstream(group + "cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return CgroupLimit{static_cast<std::uint64_t>(quota) * 1000 / static_cast<std::uint64_t>(period), 0, file};
}

std::uint64_t room(const CgroupLimit& limit) { return limit.most - std::min(limit.most, limit.used); }

void tighten(std::optional<CgroupLimit>& known, const std::optional<CgroupLimit>& other) {
  if (other && (!known || room(*other) < room(*known))) known = other;
}

// Takes in what a group of `hierarchy` and its ancestors set. A file of another version is not there. Texts and no
// paths: joining those breaks them where there is no memory left (libstdc++ 12).
void take_in(CgroupLimits& limits, const std::string& hierarchy, std::string group) {
  for (;; group.erase(group.rfind('/'))) {
    while (group.ends_with('/')) group.pop_back();
    const std::string folder = hierarchy + (group.empty() || group.front() == '/' ? "" : "/") + group + "/";
    tighten(limits.memory, memory_in(folder, "memory.max", "memory.current"));
    tighten(limits.memory, memory_in(folder, "memory.limit_in_bytes", "memory.usage_in_bytes"));
    tighten(limits.processes, limit_in(folder, "pids.max", "pids.current"));
    tighten(limits.cores, cores_in(folder));
    if (group.rfind('/') == std::string::npos) return;
  }
}

}  // namespace

// A line is `number:controllers:group`: of version 2 `0::group`, of version 1 one for each hierarchy. The folder of
// such a hierarchy has the names of its controllers, in any order, and a link for each.
CgroupLimits read_cgroup_limits(const std::string& membership, const std::string& mount) {
  CgroupLimits limits;
  std::error_code error;
  const std::string unified = mount + "/unified";  // beside groups of version 1
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) take_in(limits, fs::is_directory(unified, error) ? unified : mount, group);
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');) take_in(limits, mount + "/" + name, group);
  }
  return limits;
}

CgroupLimits cgroup_limits() {
  std::ifstream file("/proc/self/cgroup");
  return read_cgroup_limits({std::istreambuf_iterator<char>(file), {}}, "/sys/fs/cgroup");
}

}  // namespace woa
