#include "runtime/controller/instances.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "runtime/controller/kernel_call.h"
#include "runtime/memory/pages.h"

namespace woa {

Result<StateMemory> StateMemory::make(std::size_t places, std::uint64_t bytes) {
  constexpr std::uint64_t kAlignment = 16;
  StateMemory states;
  states.stride_ = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > std::numeric_limits<std::size_t>::max() / places - kAlignment)
    return {Code::kExhausted, "no memory for states of " + std::to_string(bytes) + " bytes"};
  if (states.stride_ > 0) {
    auto memory = map_pages(-1, places * states.stride_, Access::kReadWrite);
    if (!memory.ok())
      return memory.status().with_context(std::to_string(places) + " states of " + std::to_string(bytes) + " bytes");
    states.memory_ = std::move(*memory);
    for (std::size_t k = places; k-- > 0;) states.free_.push_back(states.memory_->bytes().data() + k * states.stride_);
  }
  return states;
}

std::byte* StateMemory::take() noexcept {
  if (free_.empty()) return nullptr;
  std::byte* const state = free_.back();
  free_.pop_back();
  std::memset(state, 0, stride_);
  return state;
}

Result<StageInstances> StageInstances::make(Stateful stateful, const LoadedStage* loaded, std::uint32_t window) {
  StageInstances instances;
  instances.entries_ = ByInstance<StageInstance>(window);
  instances.stateful_ = stateful;
  if (stateful == Stateful::kNo || loaded == nullptr || loaded->state_bytes() == 0) return instances;
  auto states = StateMemory::make(stateful == Stateful::kRun ? 1 : window, loaded->state_bytes());
  if (!states.ok()) return states.status();
  instances.loaded_ = loaded;
  instances.states_ = std::move(*states);
  return instances;
}

StageInstances::~StageInstances() {
  for (StageInstance& entry : entries_.all()) {
    if (entry.state != nullptr) drop_state(entry);
  }
  if (run_state_ == nullptr || !loaded_->retires()) return;
  release_by_kernel("retire", loaded_->plan->kernel, [&] { loaded_->kernel->retire(loaded_->self, run_state_); });
}

StageInstance* StageInstances::begin(StageInstance& entry, std::uint64_t instance) noexcept {
  if (entry.running > 0) return nullptr;
  if (entry.state != nullptr) drop_state(entry);
  entry = StageInstance{};
  entry.instance = instance;
  return &entry;
}

StageInstances::Order StageInstances::order(const StageInstance& entry, std::uint64_t tag,
                                            std::uint64_t oldest) noexcept {
  if (stateful_ == Stateful::kInstance) {
    if (entry.running > 0) return Order::kLater;
    return !entry.fired || tag > entry.last_tag ? Order::kNow : Order::kBroken;
  }
  if (run_is_busy_) return Order::kLater;
  const auto over = [&](std::uint64_t instance) {
    const StageInstance& other = at(instance);
    return instance < oldest || (other.instance == instance && other.dead);
  };
  while (next_instance_ < entry.instance && over(next_instance_)) ++next_instance_;
  return next_instance_ == entry.instance ? Order::kNow : Order::kLater;
}

bool StageInstances::take_state(StageInstance& entry, void*& state) noexcept {
  state = nullptr;
  if (loaded_ == nullptr) return true;
  std::byte*& mine = stateful_ == Stateful::kRun ? run_state_ : entry.state;
  if (mine == nullptr) mine = states_.take();
  state = mine;
  return mine != nullptr;
}

void StageInstances::retire(std::uint64_t from, std::uint64_t oldest) noexcept {
  if (stateful_ != Stateful::kInstance || loaded_ == nullptr) return;
  const std::uint64_t places = entries_.all().size();
  for (std::uint64_t k = oldest - from < places ? from : oldest - places; k < oldest; ++k) {
    StageInstance& entry = at(k);
    if (entry.state != nullptr && entry.instance < oldest && entry.running == 0) drop_state(entry);
  }
}

void StageInstances::drop_state(StageInstance& entry) noexcept {
  std::byte* const state = std::exchange(entry.state, nullptr);
  if (loaded_->retires())
    release_by_kernel("retire", loaded_->plan->kernel, [&] { loaded_->kernel->retire(loaded_->self, state); });
  states_.give(state);
}

}  // namespace woa
