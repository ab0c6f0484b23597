// A bit of a payload changes between two processes, as TCP's checksum may let it. With a CRC no output is wrong;
// without one some are, which shows that this test can fail.
#include "runtime/packet/activation_packet.h"
#include "tests/integration/processes/ofi_world.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kInstances = 40;
// The lowest bit of the 33rd byte of the payload.
const std::string kDamaged = std::to_string(8 * kPacketBytes + 8 * 32) + "@tcp;ofi_rxm";

std::string text(std::uint64_t instance, std::size_t bytes) {
  std::string out(bytes, static_cast<char>('a' + instance % 26));
  return out;
}

Plan chain() {
  PlanBuilder builder(1, 1, 10'000);
  std::uint32_t last = kSourceStage;
  for (const char* name : {"a", "b", "c"}) {
    const auto next = builder.stage(name, "append", std::string("cpu:") + static_cast<char>('0' + name[0] - 'a'));
    builder.edge(last, 0, next, 0);
    last = next;
  }
  builder.edge(last, 0, kSinkStage, 0);
  return builder.build();
}

struct Seen {
  Outcome outcome;
  std::size_t wrong = 0;
};

Seen run_over_damage(const Plan& plan, bool payload_crc, std::size_t bytes) {
  World world;
  world.options.node_command = {WOA_TEST_NODE, kDamaged};
  world.options.payload_crc = payload_crc;
  Seen seen;
  seen.outcome =
      run_plan(plan, world.options, kInstances, [&](std::uint64_t i, std::uint32_t) { return text(i, bytes); });
  for (const auto& [instance, outputs] : seen.outcome.outputs)
    if (outputs[0] != text(instance, bytes) + "abc") ++seen.wrong;
  REQUIRE(children().empty());
  return seen;
}

}  // namespace

TEST_CASE("ofi: a payload that is damaged on its way, inline or in a block, gives no wrong output but an error") {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{3000}}) {
    const Seen seen = run_over_damage(chain(), true, bytes);
    INFO(bytes << " bytes: " << seen.outcome.status.message());
    REQUIRE(seen.wrong == 0);
    REQUIRE(seen.outcome.status.code() == Code::kDataLoss);
    REQUIRE(says(seen.outcome.status, "the edge from '"));
    REQUIRE(says(seen.outcome.status, "instance "));
    REQUIRE(says(seen.outcome.status, "was damaged on its way"));
  }
}

TEST_CASE("ofi: without the CRC the same damage makes outputs wrong") {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{3000}}) {
    const Seen seen = run_over_damage(chain(), false, bytes);
    INFO(bytes << " bytes: " << seen.outcome.status.message());
    REQUIRE(seen.outcome.status.ok());
    REQUIRE(seen.wrong > 0);
  }
}

}  // namespace woa::test
