#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <numeric>
#include <thread>

#include "tests/doubles/cuda/ptx/machine.h"

namespace woa::ptx {

void Thread::enter(const Function& next, std::uint32_t slots_from, std::uint32_t local_from) {
  function = &next;
  pc = 0;
  slots_at = slots_from;
  local_at = local_from;
  if (slots.size() < slots_at + next.slots) slots.resize(slots_at + next.slots);
  if (local.size() < local_at + next.local_bytes) local.resize(local_at + next.local_bytes, std::byte{0xA5});
  r = slots.data() + slots_at;
  for (const Constant& one : next.constants) {
    std::uint64_t value = one.value;
    switch (one.kind) {
      case Constant::kValue: break;
      case Constant::kVariable: value += block->program->addresses[one.which]; break;
      case Constant::kLocal: value += local_at; break;
      case Constant::kDynamicShared: value += (block->static_shared + 15) / 16 * 16; break;
      case Constant::kSpecial: value = special[one.which]; break;
    }
    r[one.slot] = value;
  }
}

void fault(Thread& t, const Instruction& at, End end, std::uint64_t address, const std::string& what) {
  t.state = State::kEnded;
  Outcome& outcome = t.block->outcome;
  if (outcome.end != End::kDone) return;
  char place[32];
  std::snprintf(place, sizeof place, "0x%" PRIx64, address);
  outcome = {end, address,
             t.function->name + ", PTX line " + std::to_string(at.line) + ": " +
                 (end == End::kTrapped ? "" : std::string(place) + ": ") + what};
}

const Extent* Extents::search(std::uint64_t address) {
  for (const Extent& one : met_)
    if (address - one.address < one.bytes) return &(last_ = one);
  const Extent found = memory_.find(address);
  if (found.bytes == 0) return nullptr;
  met_.push_back(found);
  return &(last_ = found);
}

namespace {

constexpr std::size_t kLateStores = 64;      // that one launch keeps back
constexpr std::uint32_t kTurnsToAll = 2048;  // after which all stores of the block are visible, and others may run
constexpr std::uint32_t kLongTurn = 256;     // instructions

class Grid {
 public:
  Grid(const Launch& launch, Memory& memory, const Weather& weather, const std::atomic<bool>& stop, Late& late)
      : launch_(launch),
        ignored_(weather.ignored),
        stop_(stop),
        late_(late),
        random_(weather.seed),
        extents_(memory),
        program_(static_cast<const Program&>(*launch.entry->module)),
        threads_(std::size_t{launch.block[0]} * launch.block[1] * launch.block[2]) {}

  Outcome run() {
    const std::uint64_t count = std::uint64_t{launch_.grid[0]} * launch_.grid[1] * launch_.grid[2];
    // Blocks run in the order of a walk with a stride that has no factor in common with their number.
    std::uint64_t stride = random_.below(count) | 1U, at = random_.below(count);
    while (std::gcd(stride, count) != 1) ++stride;
    for (std::uint64_t k = 0; k < count; ++k, at = (at + stride) % count)
      if (const Outcome outcome = run_block(at); outcome.end != End::kDone) return outcome;
    return {};
  }

 private:
  void begin(Block& block, std::uint64_t number) {
    const Entry& entry = *launch_.entry;
    block.program = &program_;
    block.static_shared = entry.shared_bytes;
    block.shared.assign((entry.shared_bytes + 15) / 16 * 16 + launch_.dynamic_shared, std::byte{0xA5});
    for (std::size_t k = 0; k < threads_.size(); ++k) {
      Thread& t = threads_[k];
      t.block = &block;
      t.state = State::kReady;
      t.view = {};
      t.callers.clear();
      std::uint64_t thread = k, place = number;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        t.special[kTid + axis] = thread % launch_.block[axis];
        t.special[kNtid + axis] = launch_.block[axis];
        t.special[kCtaid + axis] = place % launch_.grid[axis];
        t.special[kNctaid + axis] = launch_.grid[axis];
        thread /= launch_.block[axis];
        place /= launch_.grid[axis];
      }
      t.special[kLaneid] = k % 32;
      t.special[kWarpid] = k / 32;
      t.enter(program_.functions[entry.number], 0, 0);
      std::copy_n(launch_.parameters.begin(), std::min<std::size_t>(launch_.parameters.size(), entry.parameter_bytes),
                  t.local.begin());
      ready_.push_back(&t);
    }
  }

  Outcome run_block(std::uint64_t number) {
    Block block(random_, ignored_, late_, extents_);
    ready_.clear();
    waiting_.clear();
    begin(block, number);
    std::uint32_t turns = 0, idle = 0;
    while (!ready_.empty()) {
      if (stop_.load(std::memory_order_relaxed)) return {End::kStopped, 0, "stopped"};
      Thread& t = turn();
      if (block.outcome.end != End::kDone) return block.outcome;
      block.view.tick(threads_[random_.below(threads_.size())].view);
      block.view.tick(t.view);
      if (++turns % kTurnsToAll == 0) all_visible(block);
      idle = t.pause ? rest(block, idle) : 0;
      if (ready_.empty() && !waiting_.empty()) barrier(block);
    }
    for (Thread& t : threads_) block.view.move_all(t.view);
    block.view.finish();
    late_.keep(kLateStores);
    return {};
  }

  // A thread runs for a while; short turns interleave threads more finely.
  Thread& turn() {
    const std::size_t which = random_.below(ready_.size());
    Thread& t = *ready_[which];
    const std::uint32_t steps = random_.chance(4) ? 1 + random_.below(32) : kLongTurn;
    t.pause = false;
    std::uint32_t k = 0;
    for (; k < steps && t.state == State::kReady && !t.pause; ++k) {
      const Instruction& i = t.function->code[t.pc++];
      if (i.guard < 0 || (t.r[i.guard] != 0) != i.negated) i.run(t, i);
    }
    t.steps += k;
    if (t.state != State::kReady) {
      if (t.state == State::kAtBarrier) waiting_.push_back(&t);
      ready_[which] = ready_.back();
      ready_.pop_back();
    }
    return t;
  }

  void barrier(Block& block) {
    std::vector<ThreadView*> views;
    for (Thread* t : waiting_) {
      views.push_back(&t->view);
      t->state = State::kReady;
    }
    block.view.barrier(views);
    ready_.swap(waiting_);
  }

  void all_visible(Block& block) {
    for (Thread& t : threads_) block.view.move_all(t.view);
    block.view.leave_all();
    std::this_thread::yield();  // a kernel that spins leaves room for what it waits for
  }

  // A thread sleeps, and perhaps all that can run do: the host's other threads go on.
  std::uint32_t rest(Block& block, std::uint32_t idle) {
    for (int k = 0; k < 4; ++k) block.view.tick(threads_[random_.below(threads_.size())].view);
    if (idle < 16 * ready_.size())
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    return idle + 1;
  }

  const Launch& launch_;
  const Ignored& ignored_;
  const std::atomic<bool>& stop_;
  Late& late_;
  Random random_;
  Extents extents_;
  const Program& program_;
  std::vector<Thread> threads_;
  std::vector<Thread*> ready_, waiting_;
};

}  // namespace

Outcome run(const Launch& launch, Memory& memory, const Weather& weather, const std::atomic<bool>& stop,
            std::unique_ptr<LateStores>* late) {
  auto left = std::make_unique<Late>();
  const Outcome outcome = Grid(launch, memory, weather, stop, *left).run();
  if (late != nullptr) late->reset(left->empty() ? nullptr : left.release());
  return outcome;
}

}  // namespace woa::ptx
