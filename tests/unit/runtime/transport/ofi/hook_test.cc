// libfabric's own counts agree with the transport's counts of its writes.
#include <optional>

#include "tests/unit/runtime/transport/ofi/block_sides.h"
#include "tests/unit/runtime/transport/ofi/performance_hook.h"

namespace woa::test {

TEST_CASE("libfabric's performance hook counts one fi_writedata for each packet") {
  constexpr std::uint64_t kPackets = 200;
  PerformanceHook hook;
  std::optional<Producer> producer;
  std::optional<Consumer> consumer;
  hook.listen([&] {
    producer.emplace();
    consumer.emplace(*producer->transport, producer->region);
  });
  INFO(hook.heard());
  if (hook.heard().find("Installing perf hook") == std::string::npos)
    skip("ofi-hook", "this libfabric does not install ofi_hook_perf");
  REQUIRE(hook.heard().find("Unable to open PMU") == std::string::npos);

  const std::uint64_t before = producer->transport->counters().writes;
  for (std::uint64_t k = 0; k < kPackets; ++k) {
    const std::uint32_t offset = producer->fill(static_cast<int>(k));
    consumer->send(token(k, offset, kBlockBytes));
    REQUIRE(consumer->receive(k + 1));
    producer->pool.hold(offset, 1);
    REQUIRE(consumer->give_back(producer->pool, offset));
  }
  REQUIRE(producer->transport->counters().writes - before == kPackets);
  std::uint64_t writes = 0, refused = 0;
  for (const OfiTransport* transport : {producer->transport.get(), consumer->transport.get()}) {
    const OfiCounters counters = transport->counters();
    writes += counters.writes, refused += counters.refused;
  }
  hook.listen([&] { consumer.reset(), producer.reset(); });

  const std::uint64_t calls = hook.calls("writedata");
  REQUIRE(calls >= writes);
  REQUIRE(calls <= writes + refused);
  REQUIRE(writes < 2 * kPackets);  // the others are of opening
}

}  // namespace woa::test
