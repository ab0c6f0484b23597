// A kernel that writes behind its output is found by AddressSanitizer, although the block lies in a region.
#include <array>
#include <cstddef>

#include "controllers/cpu/kernel_runner.h"
#include "tests/support/captured_stderr.h"
#include "tests/support/catch.h"
#include "tests/support/child.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kCapacity = 100;

// Writes as many bytes as the kernel's `self` says.
woa_status write_so_many(void* self, const woa_firing*, const woa_input*, woa_output* outs, woa_error*) {
  volatile std::uint8_t* const data = outs[0].data;
  for (std::size_t k = 0; k < *static_cast<const std::size_t*>(self); ++k) data[k] = 1;
  outs[0].bytes = kCapacity;
  outs[0].written = 1;
  return WOA_OK;
}

// Runs the kernel on a block in memory that is mapped, as a region is. Returns the child's exit code.
int write(std::size_t bytes) {
  return Child([&] {
           alignas(64) static std::array<std::uint8_t, 128> block{};
           woa_kernel kernel{};
           kernel.abi = WOA_KERNEL_ABI;
           kernel.run = write_so_many;
           StagePlan plan;
           const LoadedStage stage{0, &plan, &kernel, &bytes};
           woa_output output{};
           output.data = block.data();
           output.capacity = kCapacity;
           Firing firing;
           firing.outputs = {&output, 1};
           KernelRunner runner;
           runner.run(stage, firing);
           // What follows the kernel may write to the end of the block.
           block.back() = 1;
           return firing.code == Code::kOk ? 0 : 2;
         })
      .exit_code();
}

TEST_CASE("a kernel may write what its output has room for") { REQUIRE(write(kCapacity) == 0); }

TEST_CASE("a kernel that writes one byte more is stopped, and the report says where") {
  CapturedStderr captured;
  const int code = write(kCapacity + 1);
  const std::string report = captured.text();
  INFO(report);
  REQUIRE(code != 0);
  REQUIRE(code != 2);
  REQUIRE(report.find("use-after-poison") != std::string::npos);
  REQUIRE(report.find("write_so_many") != std::string::npos);
}

}  // namespace
}  // namespace woa::test
