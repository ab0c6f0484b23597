// One run of the card's unit, prepared once and reused: it carries one firing after the other through the node.
//
// A small payload travels behind the command or behind the result, so that one transfer each way does. Larger ones have
// buffers of their own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "controllers/fpga/wact_packets.h"
#include "controllers/fpga/xrt/node_unit.h"
#include "controllers/fpga/xrt/region_buffers.h"

namespace woa {

// For payloads that lie in memory without a buffer, which the host copies.
struct Staging {
  XrtBuffer input, output;
};

class RunSlot {
 public:
  // `worker`: its number among the slots.
  RunSlot(NodeUnit& unit, const WactTables& tables, std::uint32_t worker)
      : unit_(unit), tables_(tables), firing_(tables), worker_(worker) {}

  // Takes what its runs need. `inline_bytes`: of the largest payload that comes behind its header.
  Status open(std::size_t inline_bytes);

  // By the controller. Takes the firing up, and finds its buffers in `regions`. False: it does not fit, and is
  // answered.
  [[nodiscard]] bool begin(Firing& firing, const RegionBuffers& regions) noexcept;
  [[nodiscard]] bool needs_staging() const noexcept { return input_ == nullptr || output_ == nullptr; }
  // False: the payloads do not fit.
  [[nodiscard]] bool use(const Staging& staging) noexcept;
  [[nodiscard]] bool is_staged() const noexcept { return staging_ != nullptr; }
  [[nodiscard]] Firing& firing() const noexcept { return *given_; }

  // By one mover, in this order; after a failure lose() alone. `number`: of the run.
  Status send(std::uint32_t number) noexcept;
  Status start() noexcept;
  // Logs once that the run takes long. kDeadlineExceeded: it had not ended 1 s after `stop` was set.
  Status wait(const std::atomic<bool>& stop, const Plan& plan) noexcept;
  Status receive() noexcept;
  void lose(const Status& why) noexcept;
  // The run was started, and nobody saw it end: the card may still use its memory.
  [[nodiscard]] bool may_run() const noexcept { return may_run_; }

  // From the mover to the controller: the firing is answered.
  std::atomic<bool> done{false};

 private:
  Status set_arguments() noexcept;
  [[nodiscard]] std::size_t command_lines() const noexcept;
  void write_command() noexcept;
  Status check_directory() const;
  void sort_result(std::uint64_t written) noexcept;
  [[nodiscard]] std::string place() const;
  // For the output's payload.
  [[nodiscard]] std::size_t room() const noexcept { return std::min(firing_.block().size(), output_->host.size()); }
  template <class Visit>
  void each_firing(Visit&& visit) {
    visit(*given_);
    for (Firing* const firing : given_->joined) visit(*firing);
  }

  NodeUnit& unit_;
  const WactTables& tables_;
  WactFiring firing_;
  const std::uint32_t worker_;
  Firing* given_ = nullptr;
  std::uint32_t number_ = 0;
  bool may_run_ = false;
  std::size_t command_bytes_ = 0, result_bytes_ = 0;
  XrtBuffer to_card_, from_card_;         // command, then a small input; result, then a small output
  XrtBuffer small_input_, small_output_;  // parts of these
  XrtOwned run_;                          // behind the buffers: it goes first
  const XrtBuffer* input_ = nullptr;      // of the firing; null: none is known
  const XrtBuffer* output_ = nullptr;
  const Staging* staging_ = nullptr;
  struct {
    const XrtBuffer *input = nullptr, *output = nullptr;
    std::uint32_t command_bytes = 0, input_bytes = ~0U, output_bytes = ~0U;
  } arguments_;  // of the run, as they were set last
};

}  // namespace woa
