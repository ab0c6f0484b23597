// Limits that a control group (version 1 or 2) sets for this process: a container's or a service's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace woa {

struct CgroupLimit {
  std::uint64_t most = 0;  // bytes, processes, or thousandths of a core
  std::uint64_t used = 0;  // of `most`, less what is cached of files; 0 for cores
  std::string file;        // that sets it
};

struct CgroupLimits {  // nothing: no group around the process limits it
  std::optional<CgroupLimit> memory, processes, cores;
};

// `membership` is the text of /proc/self/cgroup, `mount` the folder of the hierarchies. The tightest limit of the
// groups and of their ancestors counts. A file that cannot be read limits nothing.
CgroupLimits read_cgroup_limits(const std::string& membership, const std::string& mount);
// The limits of this process.
CgroupLimits cgroup_limits();

}  // namespace woa
