// The kernel `woa_wact` as Verilator made it, with a memory port of 64 bits, and the memory behind that port.
//
// The memory answers at once: a beat in each cycle, from the cycle after its address on. It has no rows to open and no
// refresh, so a run takes as many cycles as the RTL itself needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "controllers/fpga/verilator/kernel_registers.h"
#include "runtime/base/status.h"

namespace woa {

// Deterministic. One thread at a time. Models are independent of each other, but make one at a time, as WactModel.
class WactKernelModel {
 public:
  // kUnavailable: this program was built without Verilator; the message says what to install.
  static Result<std::unique_ptr<WactKernelModel>> make(std::size_t memory_bytes);
  virtual ~WactKernelModel() = default;
  WactKernelModel(const WactKernelModel&) = delete;
  WactKernelModel& operator=(const WactKernelModel&) = delete;

  [[nodiscard]] virtual std::span<std::byte> memory() noexcept = 0;
  // Runs one command, whose addresses are offsets in the memory, and returns when the kernel has told of its end.
  // kInternal: the kernel hangs.
  virtual Status run(const WactArguments& arguments) = 0;

 protected:
  WactKernelModel() = default;
};

}  // namespace woa
