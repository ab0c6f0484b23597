// The packet node's kernel for tests of what the host does: it answers commands at once. Every core copies, and no
// packet is refused.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "controllers/fpga/generated/wact_interface.h"
#include "runtime/packet/activation_packet.h"
#include "tests/support/noop_xrt.h"

namespace woa::test {

class CopyingNode {
 public:
  void operator()(const NoopRun& run) {
    const auto* const command = reinterpret_cast<const std::uint32_t*>(run.memory[wact::kArgumentCommand]);
    Line directory{};
    directory[wact::kDirectoryMagic] = wact::kDirectoryId;
    directory[wact::kDirectoryOperation] = command[wact::kCommandOperation];
    directory[wact::kDirectoryTicket] = command[wact::kCommandTicket];
    directory[wact::kDirectoryState] = wact::kStateDone;
    if (command[wact::kCommandOperation] == wact::kOperationTables) load(command);
    if (command[wact::kCommandOperation] == wact::kOperationFire) fire(run, command, directory);
    std::memcpy(run.memory[wact::kArgumentResult], directory.data(), sizeof directory);
  }

 private:
  static constexpr std::size_t kWords = wact::kEntryWords;
  using Line = std::array<std::uint32_t, kWords>;

  void load(const std::uint32_t* command) {
    const auto lines = [&](std::size_t from, std::size_t to) {
      std::vector<Line> table(to - from);
      std::memcpy(table.data(), command + from * kWords, table.size() * sizeof(Line));
      return table;
    };
    const std::size_t stages = command[wact::kCommandCount];
    stages_ = lines(1, 1 + stages);
    routes_ = lines(1 + stages, command[wact::kCommandLines]);
    sequence_ = {};
  }
  void fire(const NoopRun& run, const std::uint32_t* command, Line& directory) {
    ActivationPacket in;
    std::memcpy(static_cast<void*>(&in), command + kWords, sizeof in);
    const auto stage = std::ranges::find(stages_, in.stage, [](const Line& line) { return line[wact::kStageNumber]; });
    const std::uint32_t first = (*stage)[wact::kStageRoutes] & 0xffff, count = (*stage)[wact::kStageRoutes] >> 16;
    std::byte* result = run.memory[wact::kArgumentResult] + sizeof(Line);
    for (std::uint32_t r = 0; r < count; ++r, result += sizeof(Line)) {
      std::uint64_t landing = 0;
      std::memcpy(&landing, reinterpret_cast<const std::uint64_t*>(command + 2 * kWords) + r, sizeof landing);
      const ActivationPacket out = packet(in, routes_[first + r], landing);
      std::memcpy(result, static_cast<const void*>(&out), sizeof out);
    }
    std::memcpy(run.memory[wact::kArgumentOutput], run.memory[wact::kArgumentInput], in.payload_bytes);
    const auto entry = static_cast<std::uint64_t>(stage - stages_.begin());
    const std::uint64_t completion = entry << wact::kCompletionEntry | std::uint64_t{1} << wact::kCompletionCycles;
    std::memcpy(result, &completion, sizeof completion);
    directory[wact::kDirectoryPackets] = directory[wact::kDirectoryPacketLines] = count;
    directory[wact::kDirectoryCompletions] = 1;
    directory[wact::kDirectoryOutputBytes] = static_cast<std::uint32_t>(in.payload_bytes);
  }
  ActivationPacket packet(const ActivationPacket& in, const Line& route, std::uint64_t landing) {
    ActivationPacket out = in;
    out.flags = 0;
    out.origin = in.stage;
    out.stage = route[wact::kRouteStage];
    out.port = static_cast<std::uint16_t>(route[wact::kRoutePort]);
    out.sequence = ++sequence_.at(route[wact::kRouteChannel]);
    out.device = in.payload_bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(landing >> wact::kLandingDevice);
    out.region = static_cast<std::uint16_t>(landing >> wact::kLandingRegion);
    out.offset = static_cast<std::uint32_t>(landing >> wact::kLandingOffset);
    seal(out);
    return out;
  }

  std::vector<Line> stages_, routes_;
  std::array<std::uint32_t, 256> sequence_{};  // by channel
};

}  // namespace woa::test
