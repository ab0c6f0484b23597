#include "runtime/controller/poison.h"

#include "runtime/base/text.h"

namespace woa {
namespace {

std::string copy_of(std::string_view text) noexcept {
  return if_memory([&] { return std::string(text); }, std::string());
}

}  // namespace

ActivationPacket poison_header(std::uint32_t stage, std::uint64_t instance, Code code, std::uint32_t origin,
                               std::string_view text) noexcept {
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  header.flags = text.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(kInline);
  header.status = static_cast<std::uint8_t>(code);
  header.origin = origin;
  header.instance = instance;
  header.stage = stage;
  header.payload_bytes = text.size();
  return header;
}

bool Poison::arrive(const ActivationPacket& packet, std::span<const std::byte> text) noexcept {
  if (packet.instance < oldest_) {
    ++stats_.dropped;
    return true;
  }
  if (programs_[packet.stage].instances.find(packet.instance) == nullptr) return false;
  kill(packet.stage, packet.instance, static_cast<Code>(packet.status), packet.origin,
       {reinterpret_cast<const char*>(text.data()), text.size()});
  return true;
}

void Poison::kill(std::uint32_t stage_id, std::uint64_t instance, Code code, std::uint32_t origin,
                  std::string_view message) noexcept {
  if (instance < oldest_) return;
  StageProgram& stage = programs_[stage_id];
  StageInstance* const entry = stage.instances.find(instance);
  if (entry == nullptr) return;
  if (entry->dead) {  // the first failure is kept
    ++stats_.dropped;
    return;
  }
  const std::string whole = copy_of(message);  // dropping tokens may free what it points into
  bury(stage, *entry);
  if (stage.role == StageRole::kSink) {
    if (observer_ != nullptr) observer_->on_poisoned(instance, code, origin, whole);
    return;
  }
  const std::string text = if_memory([&] { return shortened(whole, kPoisonMessageBytes); }, std::string());
  spread(stage, poison_header(stage_id, instance, code, origin, text), text);
}

void Poison::spread(StageProgram& stage, const ActivationPacket& header, const std::string& text) {
  // Nobody waits for a device's counts alone: their readers are relays of what else it writes.
  if (stage.device_headers) {
    waiting_.push_back({&stage, nullptr, header, copy_of(text)});
    return;
  }
  for (OutEdge& edge : stage.out_edges) {
    if (edge.choice.may_take(header.instance)) waiting_.push_back({&stage, &edge, header, copy_of(text)});
  }
}

// Poison of a retired instance need not be sent: whatever it would free has been freed.
std::size_t Poison::send_waiting(DevicePoison& device) noexcept {
  return std::erase_if(waiting_,
                       [&](WaitingPoison& poison) { return poison.header.instance < oldest_ || send(poison, device); });
}

// False: try again later.
bool Poison::send(WaitingPoison& poison, DevicePoison& device) noexcept {
  if (poison.edge == nullptr) return device.start(poison);
  // Poison needs no credit, so a reader who is busy may have left no place. A closed channel's poison nobody reads.
  const Push place = poison.edge->reserve();
  if (place == Push::kOk) sending_.send_poison(*poison.edge, poison.header, std::as_bytes(std::span(poison.message)));
  return place != Push::kBackPressured;
}

}  // namespace woa
