// Common to tests of runs in several processes: a plan, its input, and what a run must not leave behind.
#pragma once

#include <dirent.h>
#include <sys/types.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/chain_plan.h"

namespace woa::test {

// Processes that the main thread of `parent` started, in that order.
inline std::vector<pid_t> children(pid_t parent = ::getpid()) {
  std::vector<pid_t> pids;
  const std::string number = std::to_string(parent);
  std::ifstream file("/proc/" + number + "/task/" + number + "/children");
  for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
  return pids;
}

inline std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

// The input of `instance`: its number.
inline std::string number(std::uint64_t instance, std::uint32_t) { return std::to_string(instance); }

}  // namespace woa::test
