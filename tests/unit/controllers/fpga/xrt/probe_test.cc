// The steps of `woa doctor --fpga`, at a library that opens one card.
#include "controllers/fpga/xrt/probe.h"

#include <cstdlib>
#include <map>

#include "tests/support/catch.h"
#include "tests/support/says.h"
#include "tests/unit/controllers/fpga/xrt/system_files.h"
#include "tests/unit/controllers/fpga/xrt/xclbin_bytes.h"

namespace woa::test {
namespace {

// A machine with a card and a file for it.
class Machine {
 public:
  Machine() {
    files.load_driver("2.13.466");
    function = files.add("0000:65:00.1", "0x10ee", "xocl");
    files.start(function, "xilinx_u50_gen3x16_xdma_base_5", "renderD128");
    auto sections = node_sections();
    sections.push_back({0, "bits"});
    choose(xclbin_bytes(sections));
  }
  ~Machine() { ::unsetenv(kXclbinVariable); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void choose(const std::string& xclbin) {
    files.write(files.root() / "woa.xclbin", xclbin);
    ::setenv(kXclbinVariable, (files.root() / "woa.xclbin").c_str(), 1);
  }
  // The steps by subject. Each says what it asked for; what is not good says what to do.
  std::map<std::string, XrtCheck> checks() const {
    std::map<std::string, XrtCheck> found;
    for (const XrtCheck& check : check_xrt(files.root())) {
      INFO(check.subject);
      CHECK_FALSE(check.asked.empty());
      CHECK_FALSE(check.found.empty());
      CHECK(check.advice.empty() == check.good);
      found[check.subject] = check;
    }
    return found;
  }
  // The subject's finding; it alone is not good.
  std::string only_fault(const std::string& subject) const {
    for (const auto& [name, check] : checks()) CHECK(check.good == (name != subject));
    return checks()[subject].found;
  }

  SystemFiles files;
  std::filesystem::path function;
};

}  // namespace

TEST_CASE("a machine with all that a run needs has no fault") {
  const Machine machine;
  auto checks = machine.checks();
  CHECK(checks.size() == 9);
  for (const auto& [subject, check] : checks) CHECK(check.good);
  CHECK(checks["driver"].found == "2.13.466");
  CHECK(checks["card"].found == "xilinx_u50_gen3x16_xdma_base_5");
  CHECK(checks["shell"].found == "0000:65:00.1: xilinx_u50_gen3x16_xdma_base_5");
  CHECK(checks["kernel"].found == "woa_wact_1 in DDR[1]");
  CHECK(checks["cores"].found == "copy, invert; 64 stages, 256 routes, 32 channels, 128 bits at 300 MHz");
  CHECK(choose_xclbin().ok());
}

TEST_CASE("each thing that is missing is its own fault") {
  Machine machine;
  SECTION("the driver") {
    std::filesystem::remove_all(machine.files.root() / "sys/module");
    CHECK(machine.only_fault("driver") == "it is not loaded");
  }
  SECTION("the shell of the file's platform") {
    machine.files.start(machine.function, "xilinx_u250_gen3x16_xdma_4_1", "renderD128");
    CHECK(machine.only_fault("shell") == "0000:65:00.1: xilinx_u250_gen3x16_xdma_4_1");
  }
  SECTION("a bitstream") {
    machine.choose(xclbin_bytes(node_sections()));
    CHECK(machine.only_fault("bitstream") == "none: the file is for tests");
  }
  SECTION("the rest of the file") {
    machine.choose(xclbin_bytes(node_sections()).substr(0, 600));
    CHECK(machine.only_fault("xclbin").find("cut short") != std::string::npos);
    CHECK(says(choose_xclbin().status(), Code::kUnavailable, "WOA_XCLBIN="));
  }
  SECTION("the file") {
    ::unsetenv(kXclbinVariable);
    CHECK(machine.only_fault("xclbin") == "it is not set");
    CHECK(says(choose_xclbin().status(), Code::kUnavailable, "WOA_XCLBIN names no xclbin"));
  }
  SECTION("the kernel") {
    auto sections = node_sections();
    sections[0].contents = table_bytes(1, 4, {unit_bytes("vadd:vadd_1")});
    sections.push_back({0, "bits"});
    machine.choose(xclbin_bytes(sections));
    CHECK(machine.only_fault("kernel").find("but vadd:vadd_1") != std::string::npos);
    CHECK(says(choose_xclbin().status(), Code::kUnavailable, "no kernel 'woa_wact'"));
  }
}

}  // namespace woa::test
