// The kernel's model as a host with a card uses it: commands and payloads in its memory, results from there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/verilator/wact_kernel_model.h"
#include "controllers/fpga/wact_tables.h"
#include "runtime/base/status.h"
#include "runtime/packet/activation_packet.h"

namespace woa::bench {

// A run's results.
struct KernelRun {
  std::uint64_t cycles = 0;  // from its start to its directory, as the kernel counts them
  ActivationPacket packet;
  std::span<const std::byte> payload;  // valid until the next run
  std::vector<std::uint64_t> completions;
};

class KernelHost {
 public:
  // For payloads up to so many bytes. kUnavailable: there is no model in this program.
  static Result<KernelHost> open(std::size_t most_payload);

  // The node's sizes and cores, as it was built.
  Result<NodeLimits> describe();
  Status load(const WactTables& tables);
  // Runs the stage or chain that `packet` is for; it has one route. kInternal: the kernel did not do it.
  Result<KernelRun> fire(const ActivationPacket& packet, std::span<const std::byte> payload);

 private:
  using Line = std::array<std::uint32_t, wact::kLineBytes / sizeof(std::uint32_t)>;

  KernelHost(std::unique_ptr<WactKernelModel> model, std::size_t payload_room);
  // Runs `lines` behind the command's first line, and checks the directory, which is the answer.
  Result<Line> run(wact::Operation operation, std::uint32_t count, std::span<const Line> lines,
                   std::uint32_t input_bytes);
  [[nodiscard]] Line result_line(std::size_t number) const;

  std::unique_ptr<WactKernelModel> model_;
  std::size_t payload_room_;
  std::uint32_t ticket_ = 0;
};

}  // namespace woa::bench
