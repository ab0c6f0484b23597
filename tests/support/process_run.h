// What tests of runs in several processes share: a plan, its input, and what a run must not leave behind.
#pragma once

#include <dirent.h>
#include <sys/types.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/plan_builder.h"

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

// source -> a (cpu:0) -> b (cpu:1) -> c (cpu:2) -> sink
inline Plan chain(const std::string& kernel) {
  PlanBuilder builder(1, 1);
  std::uint32_t last = kSourceStage;
  for (std::uint32_t k = 0; k < 3; ++k) {
    const std::uint32_t next =
        builder.stage(std::string(1, static_cast<char>('a' + k)), kernel, "cpu:" + std::to_string(k));
    builder.edge(last, 0, next, 0);
    last = next;
  }
  builder.edge(last, 0, kSinkStage, 0);
  return builder.build();
}

// The input of `instance`: its number.
inline std::string number(std::uint64_t instance, std::uint32_t) { return std::to_string(instance); }

}  // namespace woa::test
