// Mappings that back-ends get: whole runs over memory of one process and of several.
#include "runtime/transport/shm/shm_transport.h"
#include "tests/cts/controller/in_one_process.h"
#include "tests/support/chain_plan.h"
#include "tests/support/mapped_backend.h"
#include "tests/support/publishing_backend.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kInstances = 20;
constexpr std::uint32_t kChain = 6;

// A chain whose payloads all lie in blocks.
Plan chain_of_blocks(std::uint32_t stages, std::uint32_t controllers = 26) {
  Plan plan = chain_plan(stages, "append", controllers);
  for (EdgePlan& edge : plan.edges) edge.inline_bytes = 0, edge.keep = 0;
  return plan;
}

// Runs it over both kinds of shared memory. Every instance arrives, so no firing pointed into no mapping.
template <class Check>
void run_mapped(const BackendFactory& factory, const Plan& plan, const char* model, const Input& input,
                const Check& check) {
  LoopbackTransport loopback;
  ShmTransport shm;
  for (SharedMemory* transport : {static_cast<SharedMemory*>(&loopback), static_cast<SharedMemory*>(&shm)}) {
    MappingCounts counts;
    const Outcome outcome = run_over(*transport, mapped(factory, counts), plan, model, kInstances, input);
    INFO(transport->name() << " " << model);
    REQUIRE(outcome.status.message() == "");
    REQUIRE(outcome.failures.empty());
    REQUIRE(outcome.outputs.size() == kInstances);
    CHECK(counts.unmapped == 0);
    check(counts);
  }
}

}  // namespace

TEST_CASE("inputs and outputs of all firings lie in mappings of their back-end, which are mapped until it has gone") {
  for (const char* model : {"woa", "rpc-hub", "rpc-nested"}) {
    run_mapped(factory(functions()), chain_of_blocks(kChain, 2), model, number, [](const MappingCounts& counts) {
      CHECK(counts.inputs == kChain * kInstances);
      CHECK(counts.outputs == kChain * kInstances);
      CHECK(counts.mapped > kChain);  // an output of each stage, and the source's
    });
  }
}

TEST_CASE("a stage that writes over its input has a mapping that it may write to") {
  Plan plan = chain_of_blocks(2);
  plan.stages.back().outputs[0].in_place = 0;
  run_mapped(factory(functions()), plan, "woa", number, [](const MappingCounts& counts) {
    CHECK(counts.outputs == 2 * kInstances);
    CHECK(counts.mapped == 3);  // of a: the source's and its own; of b: a's
  });
}

TEST_CASE("the words that a device stores lie in mappings of rings") {
  Functions kernels = functions();
  kernels["append"] = [](Firing& firing, const StagePlan&) {
    write(firing, 0, read(firing, 0));
    firing.outputs[0].dims[0] = 16;
  };
  const Input input = [](std::uint64_t instance, std::uint32_t) { return padded(std::to_string(instance)); };
  for (const MemoryKind memory : {MemoryKind::kCpu, kDeviceTraits.memory}) {
    PublishingScript script;
    const Plan plan = with_publishing(chain_of_blocks(4, 2), memory);
    run_mapped(publishing_factory(kernels, script), plan, "woa", input, [](const MappingCounts& counts) {
      CHECK(counts.words == 4 * kInstances);
      CHECK(counts.mapped > 2);
    });
  }
}

}  // namespace woa::test
