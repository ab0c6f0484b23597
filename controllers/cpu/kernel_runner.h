// Runs firings of cpu variants for one worker, with the worker's scratch. Everything is allocated before the first
// firing, but for what a guard needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "controllers/cpu/guarded_ports.h"
#include "controllers/cpu/isolation.h"
#include "runtime/controller/backend.h"

namespace woa {

// Beside a firing that takes longer, waking whoever waits for it is cheap.
inline constexpr std::uint64_t kBriefFiringNs = 300'000;

class KernelRunner {
 public:
  // Makes room for any stage of `stages` that is one. `guarded`: kernels run in memory that shows whether they leave
  // their ports (guarded_ports.h). `isolation`: runs isolated stages; null: this process runs them itself. kExhausted:
  // the declared scratch cannot be had.
  Status reserve(std::span<const LoadedStage> stages, bool guarded = false, Isolation* isolation = nullptr);

  // Runs the kernel and fills in all fields of `firing` that a back-end answers. Without a guard it allocates only if
  // the firing fails.
  void run(const LoadedStage& stage, Firing& firing) noexcept;
  // Returns what runs this firing in a process; null: run() runs it here.
  [[nodiscard]] IsolatedRunner* process_of(const LoadedStage& stage, const Firing& firing) noexcept;
  [[nodiscard]] IsolatedRunner* process() noexcept { return isolated_ ? &*isolated_ : nullptr; }

 private:
  static Status call(const LoadedStage& stage, Firing& firing, std::span<const woa_input> inputs,
                     std::span<woa_output> outputs) noexcept;
  Status call_guarded(const LoadedStage& stage, Firing& firing);

  struct Release {
    void operator()(std::uint8_t* memory) const noexcept;
  };
  std::unique_ptr<std::uint8_t, Release> scratch_;
  std::optional<GuardedPorts> guard_;
  std::optional<IsolatedRunner> isolated_;
};

}  // namespace woa
