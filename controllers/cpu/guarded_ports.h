// Memory for one firing at a time in which a kernel that leaves its ports or its scratch is noticed (`woa run
// --guard`).
//
// Each port gets memory of its own between two pages that nobody may touch. Its end lies at the second one but for
// alignment, so whoever goes far is stopped by the system (SIGSEGV), and whoever goes less far is found when the kernel
// has returned. Inputs are copies that may only be read. Blocks of an edge lie side by side: without a guard the
// kernel would write into the next one, which may be a token that waits, or is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/backend.h"

namespace woa {

// Fills memory beside that which a kernel may write to, so that it shows whether it did.
inline constexpr std::uint8_t kUntouched = 0xA5;
// kBrokenContract: the kernel wrote `where` ("behind") an output of `bytes`, one element of a port that scatters.
Status wrote_outside(const OutputPortPlan& port, std::uint32_t element, const char* where, std::uint64_t bytes);

class GuardedPorts {
 public:
  // Copies the inputs and makes room for outputs and scratch. What the kernel is to see stands in the views below and
  // in firing.scratch, until leave(). kExhausted: there is no memory.
  Status enter(const StagePlan& stage, Firing& firing);
  // Copies what the kernel has written and set to the outputs of `firing`. kBrokenContract: it wrote outside of a port
  // or its scratch, which the message names.
  Status leave(const StagePlan& stage, Firing& firing);

  std::span<const woa_input> inputs() const noexcept { return inputs_; }
  std::span<woa_output> outputs() noexcept { return outputs_; }

 private:
  // Memory between two pages that nobody may touch.
  class Area {
   public:
    // `bytes` of it, aligned as payloads are. What lies beside them is filled for stray_write().
    Status take(std::uint64_t bytes);
    Status allow_only_reading() const;
    std::uint8_t* data() const noexcept { return data_; }
    // The side of the bytes taken on which the kernel wrote: "before" or "behind". Null: it stayed within them.
    const char* stray_write() const noexcept;

   private:
    std::unique_ptr<Mapping> pages_;
    std::span<std::byte> room_;  // without the two pages
    std::uint8_t *begin_ = nullptr, *data_ = nullptr, *end_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  // An output that the kernel sees, with the area that it lies in.
  struct Lent {
    const Area* area;
    woa_output *own, *view;  // of `firing`, and the kernel's
    std::uint32_t port, element;
  };

  Result<Area*> take_area(std::uint64_t bytes);
  Status lend(woa_output& own, woa_output& view, std::uint32_t port, std::uint32_t element);
  Status lend_copy(woa_input& view);
  Status enter_outputs(const StagePlan& stage, Firing& firing);
  Status enter_inputs(Firing& firing);
  Status find_stray_write(const StagePlan& stage) const;

  std::vector<std::unique_ptr<Area>> areas_;  // in the order of their use in a firing; kept for the next
  std::size_t used_ = 0;
  const Area* scratch_ = nullptr;
  std::vector<Lent> lent_;
  std::vector<woa_input> inputs_;
  std::vector<woa_output> outputs_;
  std::vector<std::vector<woa_input>> gathered_;    // by input
  std::vector<std::vector<woa_output>> scattered_;  // by output
};

}  // namespace woa
