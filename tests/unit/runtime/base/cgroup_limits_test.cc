// The limits of made-up trees of groups.
#include "runtime/base/cgroup_limits.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

class Tree {
 public:
  Tree() : root_(fs::temp_directory_path() / "woa-cgroup-XXXXXX") {
    std::string name = root_.string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  [[nodiscard]] CgroupLimits limits(const std::string& membership) const {
    return read_cgroup_limits(membership, root_.string());
  }

 private:
  fs::path root_;
};

std::uint64_t most(const std::optional<CgroupLimit>& limit) {
  REQUIRE(limit);
  return limit->most;
}

TEST_CASE("a group without limits, and no group, limit nothing") {
  const Tree tree;
  tree.put("a/memory.max", "max");
  tree.put("a/pids.max", "max");
  tree.put("a/cpu.max", "max 100000");
  for (const char* membership : {"0::/a\n", "0::/\n", "0::/gone\n", "4:memory:/a\n", ""}) {
    INFO(membership);
    const CgroupLimits limits = tree.limits(membership);
    CHECK_FALSE(limits.memory);
    CHECK_FALSE(limits.processes);
    CHECK_FALSE(limits.cores);
  }
}

TEST_CASE("the tightest of the groups around counts") {
  const Tree tree;
  tree.put("a/memory.max", "1000");
  tree.put("a/memory.current", "900");
  tree.put("a/b/memory.max", "500");
  tree.put("a/b/memory.current", "100");
  tree.put("a/cpu.max", "150000 100000");
  tree.put("a/b/cpu.max", "400000 100000");
  tree.put("pids.max", "70");
  tree.put("pids.current", "7");
  const CgroupLimits limits = tree.limits("4:memory:/x\n0::/a/b\n");
  CHECK(most(limits.memory) == 1000);
  CHECK(limits.memory->used == 900);
  CHECK(limits.memory->file.ends_with("/a/memory.max"));
  CHECK(most(limits.processes) == 70);
  CHECK(limits.processes->used == 7);
  CHECK(most(limits.cores) == 1500);
}

TEST_CASE("version 1 has a hierarchy for each controller, and version 2 may stand beside it") {
  const Tree tree;
  tree.put("cpu/a/cpu.cfs_quota_us", "50000");
  tree.put("cpu/a/cpu.cfs_period_us", "100000");
  tree.put("cpu/cpu.cfs_quota_us", "-1");
  tree.put("cpu/cpu.cfs_period_us", "100000");
  tree.put("memory/b/memory.limit_in_bytes", "1000");
  tree.put("memory/b/memory.usage_in_bytes", "10");
  tree.put("memory/memory.limit_in_bytes", "9223372036854771712");
  tree.put("unified/c/pids.max", "70");
  const CgroupLimits limits = tree.limits("4:cpu,cpuacct:/a\n3:memory:/b\n2:name=systemd:/\n0::/c\n");
  CHECK(most(limits.cores) == 500);
  CHECK(limits.cores->file.ends_with("/a/cpu.cfs_quota_us"));
  CHECK(most(limits.memory) == 1000);
  CHECK(limits.memory->used == 10);
  CHECK(most(limits.processes) == 70);
  const CgroupLimits none = tree.limits("4:cpu,cpuacct:/\n3:memory:/\n");
  CHECK_FALSE(none.cores);
  CHECK_FALSE(none.memory);
}

}  // namespace
}  // namespace woa
