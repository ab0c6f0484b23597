// Runs firings of cpu variants for one worker. Holds the kernel's views of the tokens, and scratch. Everything is
// allocated before the first firing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/controller/backend.h"

namespace woa {

class KernelRunner {
 public:
  // Makes room for any stage of `stages`. kExhausted: the declared scratch cannot be had.
  Status reserve(std::span<const LoadedStage> stages);

  // Runs the kernel and fills in all fields of `firing` that a backend answers. Allocates only if the firing fails.
  void run(const LoadedStage& stage, Firing& firing) noexcept;

 private:
  struct Release {
    void operator()(std::uint8_t* memory) const noexcept;
  };
  Status run_kernel(const LoadedStage& stage, Firing& firing) noexcept;
  Status show_inputs(const StagePlan& plan, const Firing& firing) noexcept;
  void show_outputs(const StagePlan& plan, const Firing& firing) noexcept;
  Status take_outputs(const StagePlan& plan, Firing& firing) noexcept;

  std::vector<woa_input> inputs_, gathered_;     // by input port; elements of all of them
  std::vector<woa_output> outputs_, scattered_;  // by output port; elements of all of them
  std::unique_ptr<std::uint8_t, Release> scratch_;
};

}  // namespace woa
