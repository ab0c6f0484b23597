// Runs firings of cpu variants for one worker, with the worker's scratch. Everything is allocated before the first
// firing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "runtime/controller/backend.h"

namespace woa {

class KernelRunner {
 public:
  // Makes room for any stage of `stages`. kExhausted: the declared scratch cannot be had.
  Status reserve(std::span<const LoadedStage> stages);

  // Runs the kernel and fills in all fields of `firing` that a back-end answers. Allocates only if the firing fails.
  void run(const LoadedStage& stage, Firing& firing) noexcept;

 private:
  struct Release {
    void operator()(std::uint8_t* memory) const noexcept;
  };
  std::unique_ptr<std::uint8_t, Release> scratch_;
};

}  // namespace woa
