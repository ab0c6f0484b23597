#include "controllers/fpga/xrt/run_slot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"

namespace woa {
namespace {

using namespace wact;  // NOLINT: the words' names

constexpr std::size_t kBeatBytes = sizeof(std::uint64_t), kBeats = kLineBytes / kBeatBytes;
constexpr std::size_t kMessageLines = 4;  // of poison, at most 256 bytes
constexpr unsigned kLookMs = 100;         // between two looks at a run that takes long
constexpr std::uint64_t kLongNs = 5'000'000'000, kLastNs = 1'000'000'000;
static_assert(sizeof(ActivationPacket) == kLineBytes);

std::size_t lines_for(std::size_t beats) { return (beats + kBeats - 1) / kBeats; }

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t word) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + word * sizeof value, sizeof value);
  return value;
}

template <class Value>
Status put(Value& place, Result<Value> made) {
  if (made.ok()) place = std::move(made).value();
  return made.status();
}

}  // namespace

Status RunSlot::open(std::size_t inline_bytes) {
  const std::size_t routes = tables_.most_routes();
  command_bytes_ = (2 + lines_for(routes)) * kLineBytes;
  result_bytes_ = (1 + routes + kMessageLines + lines_for(tables_.most_stages())) * kLineBytes;
  const std::size_t small_input = std::max(kSmallBytes, inline_bytes);
  WOA_RETURN_IF_ERROR(put(to_card_, unit_.allocate(command_bytes_ + small_input, "commands of a run")));
  WOA_RETURN_IF_ERROR(put(from_card_, unit_.allocate(result_bytes_ + kSmallBytes, "results of a run")));
  WOA_RETURN_IF_ERROR(put(small_input_, unit_.part(to_card_, command_bytes_, small_input)));
  WOA_RETURN_IF_ERROR(put(small_output_, unit_.part(from_card_, result_bytes_, kSmallBytes)));
  WOA_RETURN_IF_ERROR(put(run_, unit_.make_run()));
  WOA_RETURN_IF_ERROR(unit_.set(run_.get(), kArgumentCommand, to_card_));
  WOA_RETURN_IF_ERROR(unit_.set(run_.get(), kArgumentResult, from_card_));
  return unit_.set(run_.get(), kArgumentResultBytes, static_cast<std::uint32_t>(result_bytes_));
}

bool RunSlot::begin(Firing& firing, const RegionBuffers& regions) noexcept {
  given_ = &firing;
  if (!firing_.begin(firing)) return false;
  const auto payload = firing_.payload();
  const auto block = firing_.block();
  input_ = payload.size() <= kSmallBytes ? &small_input_ : regions.find(payload.data());
  if (input_ == nullptr && payload.size() <= small_input_.host.size()) input_ = &small_input_;
  output_ = block.size() <= kSmallBytes ? &small_output_ : regions.find(block.data());
  staging_ = nullptr;
  done.store(false, std::memory_order_relaxed);
  each_firing([&](Firing& each) { each.worker = worker_; });
  return true;
}

bool RunSlot::use(const Staging& staging) noexcept {
  staging_ = &staging;
  if (input_ == nullptr) input_ = &staging.input;
  if (output_ == nullptr) output_ = &staging.output;
  return firing_.payload().size() <= input_->host.size() && firing_.block().size() <= room();
}

// The library takes long for an argument, and most runs have those of the run before.
Status RunSlot::set_arguments() noexcept {
  const auto set = [&](Argument argument, const auto& value, auto& last) {
    if (last == value) return Status();
    last = value;
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(value)>>)
      return unit_.set(run_.get(), argument, *value);
    else
      return unit_.set(run_.get(), argument, value);
  };
  WOA_RETURN_IF_ERROR(set(kArgumentInput, input_, arguments_.input));
  WOA_RETURN_IF_ERROR(set(kArgumentOutput, output_, arguments_.output));
  const auto command_bytes = static_cast<std::uint32_t>(command_lines() * kLineBytes);
  const auto input_bytes = static_cast<std::uint32_t>(firing_.payload().size());
  const auto output_bytes = static_cast<std::uint32_t>(room());
  WOA_RETURN_IF_ERROR(set(kArgumentCommandBytes, command_bytes, arguments_.command_bytes));
  WOA_RETURN_IF_ERROR(set(kArgumentInputBytes, input_bytes, arguments_.input_bytes));
  return set(kArgumentOutputBytes, output_bytes, arguments_.output_bytes);
}

std::size_t RunSlot::command_lines() const noexcept { return 2 + lines_for(firing_.landings().size()); }

void RunSlot::write_command() noexcept {
  const auto landings = firing_.landings();
  std::byte* const at = to_card_.host.data();
  std::array<std::uint32_t, kLineBytes / sizeof(std::uint32_t)> command{};
  command[kCommandMagic] = kCommandId;
  command[kCommandOperation] = kOperationFire;
  command[kCommandLines] = static_cast<std::uint32_t>(command_lines());
  command[kCommandCount] = static_cast<std::uint32_t>(landings.size());
  command[kCommandTicket] = number_;
  std::memcpy(at, command.data(), kLineBytes);
  std::memcpy(at + kLineBytes, &firing_.header(), kLineBytes);
  std::memcpy(at + 2 * kLineBytes, landings.data(), landings.size_bytes());
}

Status RunSlot::send(std::uint32_t number) noexcept {
  number_ = number;
  write_command();
  const auto payload = firing_.payload();
  const bool is_small = input_ == &small_input_, is_copied = is_small || input_->host.data() != payload.data();
  if (is_copied && !payload.empty()) std::memcpy(input_->host.data(), payload.data(), payload.size());
  WOA_RETURN_IF_ERROR(set_arguments());
  if (!is_small) WOA_RETURN_IF_ERROR(unit_.sync(*input_, xrt::kToDevice, payload.size()));
  return unit_.sync(to_card_, xrt::kToDevice, command_bytes_ + (is_small ? payload.size() : 0));
}

Status RunSlot::start() noexcept {
  if (given_->timed) each_firing([now = now_ns()](Firing& firing) { firing.started_ns = now; });
  const Status started = unit_.start(run_.get());
  may_run_ = started.ok();
  return started;
}

std::string RunSlot::place() const {
  return "instance " + std::to_string(given_->instance) + ", run " + std::to_string(number_) + " of unit '" +
         unit_.unit_name() + "' on card '" + unit_.card().description.device + "'";
}

Status RunSlot::wait(const std::atomic<bool>& stop, const Plan& plan) noexcept {
  std::uint64_t since_ns = 0, stopped_ns = 0;
  for (bool told = false;;) {
    const int state = unit_.xrt().run_wait(run_.get(), kLookMs);
    may_run_ = !run_has_ended(state);
    if (state == xrt::kCompleted) break;
    if (state < 0) return {Code::kUnavailable, "waiting for it failed; the kernel's log tells more (`dmesg`)"};
    if (!may_run_)
      return {Code::kKernelFailed,
              "it ended in state '" + std::string(state_text(state)) + "'; the kernel's log tells more (`dmesg`)"};
    const std::uint64_t now = now_ns();
    if (since_ns == 0) since_ns = now;
    if (stop.load() && stopped_ns == 0) stopped_ns = now;
    if (stopped_ns != 0 && now - stopped_ns >= kLastNs) return {Code::kDeadlineExceeded, "it does not end"};
    if (std::exchange(told, told || now - since_ns >= kLongNs) || now - since_ns < kLongNs) continue;
    log(LogLevel::kWarning, "stage '" + plan.stages[given_->stage].name + "', " + place() + ": has run for " +
                                std::to_string(kLongNs / 1'000'000'000) +
                                " s, and may never end; give the run a deadline, or reset the card (`xbutil reset`)");
  }
  if (given_->timed) each_firing([now = now_ns()](Firing& firing) { firing.ended_ns = now; });
  return {};
}

Status RunSlot::receive() noexcept {
  const auto block = firing_.block();
  const bool is_small = output_ == &small_output_;
  WOA_RETURN_IF_ERROR(unit_.sync(from_card_, xrt::kFromDevice, result_bytes_ + (is_small ? block.size() : 0)));
  WOA_RETURN_IF_ERROR(check_directory());
  const std::size_t written = word_at(from_card_.host, kDirectoryOutputBytes);
  if (!is_small) WOA_RETURN_IF_ERROR(unit_.sync(*output_, xrt::kFromDevice, written));
  if (written != 0 && output_->host.data() != block.data()) std::memcpy(block.data(), output_->host.data(), written);
  sort_result(written);
  firing_.finish();
  return {};
}

Status RunSlot::check_directory() const {
  NodeUnit::Line directory;
  std::memcpy(directory.data(), from_card_.host.data(), kLineBytes);
  WOA_RETURN_IF_ERROR(unit_.check_directory(directory, number_));
  const std::size_t lines =
      std::size_t{1} + directory[kDirectoryPacketLines] + lines_for(directory[kDirectoryCompletions]);
  const bool fits = directory[kDirectoryOutputBytes] <= room() && lines * kLineBytes <= result_bytes_;
  return fits ? Status() : Status(Code::kDataLoss, "it says that it wrote more than there is room for");
}

void RunSlot::sort_result(std::uint64_t written) noexcept {
  const auto lines = std::span<const std::byte>(from_card_.host).first(result_bytes_);
  const std::size_t packets = word_at(lines, kDirectoryPackets), beats = word_at(lines, kDirectoryCompletions);
  const std::size_t end = (std::size_t{1} + word_at(lines, kDirectoryPacketLines)) * kLineBytes;
  std::size_t at = kLineBytes;
  for (std::size_t p = 0; p < packets; ++p) {
    if (end - at < kLineBytes) return firing_.damage("the directory counts more packets than it has lines");
    ActivationPacket header;
    std::memcpy(&header, lines.data() + at, kLineBytes);
    at += kLineBytes;
    const bool has_message = p == 0 && header.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
    const std::size_t message = has_message ? std::min<std::uint64_t>(header.payload_bytes, end - at) : 0;
    firing_.packet(header, p == 0 ? written : 0, lines.subspan(at, message));
    at += std::min((message + kLineBytes - 1) / kLineBytes * kLineBytes, end - at);
  }
  for (std::size_t c = 0; c < beats; ++c) {
    std::uint64_t beat = 0;
    std::memcpy(&beat, lines.data() + end + c * kBeatBytes, kBeatBytes);
    firing_.completion(beat, c + 1 == beats);
  }
}

void RunSlot::lose(const Status& why) noexcept { firing_.lose(why.code(), place() + ": " + why.message()); }

}  // namespace woa
