#include "runtime/plan/room.h"

#include "tests/support/catch.h"
#include "tests/support/chain_plan.h"

namespace woa {
namespace {

constexpr std::uint64_t kLargeBytes = 1 << 20;
using Workers = std::vector<std::uint32_t>;

// source -> a (cpu:0, all workers) -> b (cpu:1, one worker) -> sink, as the compiler makes it.
Plan compiled(std::uint64_t max_bytes) {
  Plan plan = test::chain_on({"cpu:0", "cpu:1"}, "copy", max_bytes);
  plan.controllers[1].workers = kAllWorkers;
  plan.window = 4;
  for (EdgePlan& edge : plan.edges) edge.min_blocks = 2, edge.blocks = 4 * 2 + 1;
  plan.raises_window = plan.raises_blocks = true;
  return plan;
}

// A run raises it so, for nodes with this number of processors.
void raise_room(Plan& plan, std::uint32_t processors) {
  raise_room(plan, workers_of(plan, 1), workers_of(plan, processors));
}

std::vector<std::uint32_t> blocks_of(const Plan& plan) {
  std::vector<std::uint32_t> blocks;
  for (const EdgePlan& edge : plan.edges) blocks.push_back(edge.blocks);
  return blocks;
}

}  // namespace

TEST_CASE("a plan says one worker, or leaves the number to the node") {
  CHECK(workers_of(compiled(64), 6) == Workers{1, 6, 1});
  CHECK(workers_of(compiled(64), kMaxWorkers + 1) == Workers{1, kMaxWorkers, 1});
}

TEST_CASE("a window grows with the workers, and small blocks with the window") {
  Plan plan = compiled(64);
  raise_room(plan, 6);
  CHECK(plan.window == 32 * 6);
  CHECK(blocks_of(plan) == std::vector<std::uint32_t>(3, 192 * 2 + 1));
  CHECK(validate(plan).ok());
}

TEST_CASE("large blocks follow the workers of both ends") {
  Plan plan = compiled(kLargeBytes);
  raise_room(plan, 6);
  CHECK(plan.window == 192);
  // host and cpu:0: 2 x (1 + 6) + 2 = 16 instead of 4; cpu:0 and cpu:1: the same; outputs of the graph: the window.
  CHECK(blocks_of(plan) == std::vector<std::uint32_t>{9 + 12 * 2, 9 + 12 * 2, 9 + (192 - 4) * 2});
}

TEST_CASE("a window that the user chose stays, and blocks never exceed it") {
  Plan plan = compiled(kLargeBytes);
  plan.raises_window = false;
  const std::vector<std::uint32_t> before = blocks_of(plan);
  raise_room(plan, 6);
  CHECK(plan.window == 4);
  CHECK(blocks_of(plan) == before);
}

TEST_CASE("one worker raises nothing, nor does a plan whose blocks are fixed") {
  const Plan before = compiled(64);
  Plan one = before, fixed = before;
  raise_room(one, 1);
  CHECK(one == before);
  fixed.raises_blocks = false;
  const Plan also = fixed;
  raise_room(fixed, 6);
  CHECK(fixed == also);
}

TEST_CASE("the most workers raise a window to the limit of its rings") {
  Plan plan = compiled(64);
  raise_room(plan, kMaxWorkers);
  CHECK(plan.window > 3000);  // 32,768 places of rings
  CHECK(validate(plan).ok());
}

TEST_CASE("room stays within what wires and call models can have") {
  Plan plan = compiled(64);
  for (EdgePlan& edge : plan.edges) edge.min_blocks = 500, edge.blocks = 4 * 500;
  raise_room(plan, kMaxWorkers);
  std::uint64_t slots = 0;
  for (const EdgePlan& edge : plan.edges) slots += edge.blocks + plan.window;
  CHECK(plan.window > 4);
  CHECK(slots <= (1U << 16) / 2);
  CHECK(validate(plan).ok());
}

TEST_CASE("an edge of large blocks has at most 64 GiB, and the window grows all the same") {
  Plan plan = compiled(1ULL << 30);
  raise_room(plan, 64);
  CHECK(plan.window == 32 * 64);
  CHECK(blocks_of(plan) == std::vector<std::uint32_t>{64, 64, 64});
  CHECK(validate(plan).ok());
}

TEST_CASE("blocks of devices with memory of their own are not raised") {
  Plan plan = compiled(kLargeBytes);
  const std::vector<std::uint32_t> before = blocks_of(plan);
  plan.controllers[2].traits = find_backend("opencl")->traits;
  raise_room(plan, 6);
  CHECK(blocks_of(plan)[0] > before[0]);
  CHECK(blocks_of(plan)[2] == before[2]);
}

TEST_CASE("a window is raised to the one that a user asks for, within the same limits") {
  Plan plan = compiled(64);
  raise_window(plan, 100);
  CHECK(plan.window == 100);
  CHECK(blocks_of(plan) == std::vector<std::uint32_t>(3, 100 * 2 + 1));
  raise_window(plan, 50);
  CHECK(plan.window == 100);
}

}  // namespace woa
