// The life of an instance at a stage: alive, dead (rule 6), retired (rule 5); its order and its state (rule 9).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/backend.h"
#include "runtime/memory/by_instance.h"
#include "runtime/memory/pages.h"
#include "runtime/plan/plan.h"

namespace woa {

// One instance in flight, as its stage sees it.
struct StageInstance {
  std::uint64_t instance = ~std::uint64_t{0};
  bool dead = false;  // poisoned here
  bool fired = false;
  std::uint32_t running = 0;   // firings not completed
  std::uint64_t last_tag = 0;  // of the last firing
  std::byte* state = nullptr;  // of a kernel that keeps one for each instance; null before the first firing
};

// Memory for the states of one stage: as many places as instances may have one. A place takes memory when it is first
// used, and the place that was given back last is used next.
class StateMemory {
 public:
  StateMemory() = default;
  // kExhausted: the system has no room for `places` states of `bytes` each.
  static Result<StateMemory> make(std::size_t places, std::uint64_t bytes);
  // A zeroed state, aligned to 16 bytes; null if all are taken.
  [[nodiscard]] std::byte* take() noexcept;
  void give(std::byte* state) noexcept { free_.push_back(state); }

 private:
  std::unique_ptr<Mapping> memory_;
  std::size_t stride_ = 0;
  std::vector<std::byte*> free_;
};

// The instances of one stage. One thread; no allocation after make().
class StageInstances {
 public:
  enum class Order : std::uint8_t { kNow, kLater, kBroken };

  StageInstances() = default;
  // `loaded`: of a kernel that keeps state; else null. kExhausted: no memory for its states.
  static Result<StageInstances> make(Stateful stateful, const LoadedStage* loaded, std::uint32_t window);
  StageInstances(StageInstances&&) = default;
  StageInstances& operator=(StageInstances&&) = default;
  ~StageInstances();  // retires every state

  // An instance that has not retired. Null while a firing of a retired instance uses its place.
  [[nodiscard]] StageInstance* find(std::uint64_t instance) noexcept {
    StageInstance& entry = at(instance);
    return entry.instance == instance ? &entry : begin(entry, instance);
  }
  // The place of an instance that a firing or an entry keeps there.
  [[nodiscard]] StageInstance& at(std::uint64_t instance) noexcept { return entries_[instance]; }

  // Rule 9: an instance's firings in tag order and one at a time; a run's firings in instance order. kBroken: a tag
  // came too late. `oldest`: of the run.
  [[nodiscard]] Order order(const StageInstance& entry, std::uint64_t tag, std::uint64_t oldest) noexcept;
  // Gives the firing its state. False: all are in use until firings of retired instances have ended.
  [[nodiscard]] bool take_state(StageInstance& entry, void*& state) noexcept;
  void started(StageInstance& entry, std::uint64_t tag) noexcept {
    ++entry.running;
    entry.fired = true;
    entry.last_tag = tag;
    run_is_busy_ = true;
    next_instance_ = entry.instance + 1;
  }
  void ended(StageInstance& entry, std::uint64_t oldest) noexcept {
    --entry.running;
    run_is_busy_ = false;
    if (entry.state != nullptr && entry.running == 0 && entry.instance < oldest) drop_state(entry);
  }
  // Instances `from` to `oldest` - 1 are over.
  void retire(std::uint64_t from, std::uint64_t oldest) noexcept;

 private:
  [[nodiscard]] StageInstance* begin(StageInstance& entry, std::uint64_t instance) noexcept;
  void drop_state(StageInstance& entry) noexcept;

  ByInstance<StageInstance> entries_;
  Stateful stateful_ = Stateful::kNo;
  const LoadedStage* loaded_ = nullptr;
  StateMemory states_;
  std::byte* run_state_ = nullptr;   // of a stage that keeps one for the run; null before the first firing
  std::uint64_t next_instance_ = 0;  // of a stage that fires in instance order
  bool run_is_busy_ = false;         // it is firing
};

}  // namespace woa
