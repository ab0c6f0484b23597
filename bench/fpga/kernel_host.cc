#include "bench/fpga/kernel_host.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

namespace woa::bench {
namespace {

using namespace wact;  // NOLINT: the words' names

constexpr std::size_t kPage = 4096, kBeatBytes = sizeof(std::uint64_t);
constexpr std::uint32_t kRoom = 4 * kPage;  // of commands, and of results
constexpr std::uint64_t kCommandPlace = 0, kResultPlace = kRoom, kInputPlace = 2 * kRoom;
constexpr std::size_t kRegisterLines = 4;

}  // namespace

KernelHost::KernelHost(std::unique_ptr<WactKernelModel> model, std::size_t payload_room)
    : model_(std::move(model)), payload_room_(payload_room) {}

Result<KernelHost> KernelHost::open(std::size_t most_payload) {
  const std::size_t room = (most_payload + kPage - 1) / kPage * kPage;
  WOA_ASSIGN_OR_RETURN(auto model, WactKernelModel::make(kInputPlace + 2 * room));
  return KernelHost(std::move(model), room);
}

KernelHost::Line KernelHost::result_line(std::size_t number) const {
  Line line;
  std::memcpy(line.data(), model_->memory().data() + kResultPlace + number * kLineBytes, kLineBytes);
  return line;
}

Result<KernelHost::Line> KernelHost::run(Operation operation, std::uint32_t count, std::span<const Line> lines,
                                         std::uint32_t input_bytes) {
  Line command{kCommandId, operation, static_cast<std::uint32_t>(lines.size() + 1), count, ++ticket_};
  const std::span<std::byte> memory = model_->memory();
  std::memcpy(memory.data() + kCommandPlace, command.data(), kLineBytes);
  if (!lines.empty()) std::memcpy(memory.data() + kCommandPlace + kLineBytes, lines.data(), lines.size_bytes());
  WOA_RETURN_IF_ERROR(model_->run({.command = kCommandPlace,
                                   .input = kInputPlace,
                                   .output = kInputPlace + payload_room_,
                                   .result = kResultPlace,
                                   .command_bytes = command[kCommandLines] * kLineBytes,
                                   .input_bytes = input_bytes,
                                   .output_bytes = static_cast<std::uint32_t>(payload_room_),
                                   .result_bytes = kRoom}));
  const Line directory = result_line(0);
  if (directory[kDirectoryMagic] == kDirectoryId && directory[kDirectoryTicket] == ticket_ &&
      directory[kDirectoryState] == kStateDone)
    return directory;
  return {Code::kInternal, "the model of the packet node's kernel did not carry out operation " +
                               std::to_string(operation) + ": state " + std::to_string(directory[kDirectoryState])};
}

Result<NodeLimits> KernelHost::describe() {
  WOA_RETURN_IF_ERROR(run(kOperationDescribe, 0, {}, 0).status());
  const std::uint32_t limits = result_line(1)[kRegLimits], words = core_name_words(limits);
  std::vector<std::uint32_t> names;
  for (std::size_t k = 0; names.size() < words; ++k) {
    const Line line = result_line(1 + kRegisterLines + k);
    names.insert(names.end(), line.begin(), line.end());
  }
  return node_limits(limits, std::span(names).first(words));
}

Status KernelHost::load(const WactTables& tables) {
  std::vector<Line> lines;
  for (const auto words : {tables.stage_words(), tables.route_words()})
    for (std::size_t at = 0; at < words.size(); at += kEntryWords)
      std::ranges::copy(words.subspan(at, kEntryWords), lines.emplace_back().begin());
  const auto stages = static_cast<std::uint32_t>(tables.stage_words().size() / kEntryWords);
  return run(kOperationTables, stages, lines, 0).status();
}

Result<KernelRun> KernelHost::fire(const ActivationPacket& packet, std::span<const std::byte> payload) {
  std::array<Line, 2> lines{std::bit_cast<Line>(packet)};  // and one landing beat
  lines[1][0] = static_cast<std::uint32_t>(MemoryKind::kCpu) << kLandingDevice;
  const std::span<std::byte> memory = model_->memory();
  std::ranges::copy(payload, memory.begin() + kInputPlace);
  WOA_ASSIGN_OR_RETURN(const auto directory, run(kOperationFire, 1, lines, static_cast<std::uint32_t>(payload.size())));
  if (directory[kDirectoryPackets] != 1 || directory[kDirectoryPacketLines] != 1)
    return {Code::kInternal, "the packet node did not answer with one packet to " + to_string(packet)};
  KernelRun ran;
  std::memcpy(&ran.cycles, directory.data() + kDirectoryCycles, sizeof ran.cycles);
  ran.packet = std::bit_cast<ActivationPacket>(result_line(1));
  ran.payload = memory.subspan(kInputPlace + payload_room_, directory[kDirectoryOutputBytes]);
  ran.completions.resize(directory[kDirectoryCompletions]);
  const std::size_t behind = kResultPlace + 2 * kLineBytes;
  std::memcpy(ran.completions.data(), memory.data() + behind, ran.completions.size() * kBeatBytes);
  return ran;
}

}  // namespace woa::bench
