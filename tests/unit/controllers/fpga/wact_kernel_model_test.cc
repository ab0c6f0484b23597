// The kernel's model with its memory, as the benchmark uses it.
#include "controllers/fpga/verilator/wact_kernel_model.h"

#include <array>
#include <cstring>

#include "controllers/fpga/generated/wact_interface.h"
#include "tests/support/catch.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kResult = 4096, kMemory = 8192;
using Line = std::array<std::uint32_t, wact::kLineBytes / sizeof(std::uint32_t)>;

// Runs `describe` from a command at `place`.
Line describe(WactKernelModel& model, std::uint64_t place) {
  const Line command{wact::kCommandId, wact::kOperationDescribe, 1, 0, 77};
  if (place + sizeof command <= kMemory) std::memcpy(model.memory().data() + place, command.data(), sizeof command);
  const Status ran = model.run({.command = place,
                                .input = 0,
                                .output = 0,
                                .result = kResult,
                                .command_bytes = wact::kLineBytes,
                                .input_bytes = 0,
                                .output_bytes = 0,
                                .result_bytes = kMemory - kResult});
  REQUIRE(ran.ok());
  Line directory;
  std::memcpy(directory.data(), model.memory().data() + kResult, sizeof directory);
  return directory;
}

TEST_CASE("a command in the model's memory is run, again and again, in as many cycles") {
  const auto model = WactKernelModel::make(kMemory);
  REQUIRE(model.ok());
  (void)describe(**model, 0);  // the node may still clear its counters after the reset
  const Line first = describe(**model, 0), second = describe(**model, 1024);
  REQUIRE(first[wact::kDirectoryState] == wact::kStateDone);
  REQUIRE(first[wact::kDirectoryTicket] == 77);
  REQUIRE(first[wact::kDirectoryCycles] > 0);
  REQUIRE(second == first);
  std::uint32_t id = 0;
  std::memcpy(&id, (*model)->memory().data() + kResult + wact::kLineBytes, sizeof id);
  REQUIRE(id == wact::kId);
}

TEST_CASE("a command behind the model's memory ends with an error of the memory, and the next one works") {
  const auto model = WactKernelModel::make(kMemory);
  REQUIRE(model.ok());
  REQUIRE(describe(**model, kMemory)[wact::kDirectoryState] == wact::kStateMemory);
  REQUIRE(describe(**model, 0)[wact::kDirectoryState] == wact::kStateDone);
}

}  // namespace
}  // namespace woa::test
