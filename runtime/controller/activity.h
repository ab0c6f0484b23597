// Which kernels a controller is running: written by the controller around each firing, and read by the process that
// started the run when a node died or a deadline passed, since nobody can be asked then.
//
// The slots lie in memory that both processes map. One writer per slot; two stores per firing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"

namespace woa {

// One firing under way, or none.
struct ActivitySlot {
  static constexpr std::uint32_t kIdle = 0;
  std::atomic<std::uint64_t> instance{0};
  std::atomic<std::uint32_t> stage{kIdle};  // number in the plan + 1, so that zeroed memory is idle
  std::uint32_t reserved = 0;

  void begin(std::uint32_t running_stage, std::uint64_t running_instance) noexcept {
    instance.store(running_instance, std::memory_order_relaxed);
    stage.store(running_stage + 1, std::memory_order_release);
  }
  void end() noexcept { stage.store(kIdle, std::memory_order_release); }
};
static_assert(sizeof(ActivitySlot) == 16 && std::atomic<std::uint64_t>::is_always_lock_free);

using Activity = std::span<ActivitySlot>;

// What a slot said when it was read.
struct RunningKernel {
  static constexpr std::uint64_t kLoading = ~std::uint64_t{0};  // for an instance: its library is being loaded
  std::uint32_t stage = 0, controller = 0;
  std::uint64_t instance = 0;
};

// Slots of a controller: one for each firing that it may have begun and not completed. A device with payloads of its
// own may order its firings: then those of all instances in flight, one of each stage. As many as it may have at most.
std::size_t activity_slots(const Plan& plan, std::uint32_t controller) noexcept;
// The same with so many workers.
std::size_t activity_slots(const Plan& plan, std::uint32_t controller, std::uint32_t workers) noexcept;
// Bytes of the slots of all controllers of a plan, and those of one of them in such memory.
std::size_t activity_bytes(const Plan& plan) noexcept;
Activity activity_of(const Plan& plan, std::uint32_t controller, std::span<std::byte> memory) noexcept;
// What `controller` is running.
std::vector<RunningKernel> running_kernels(std::uint32_t controller, Activity slots);
// "stage 'c' (kernel 'crash') ran instance 0" for each, joined by "and"; empty for none.
std::string to_string(const Plan& plan, std::span<const RunningKernel> running);

}  // namespace woa
