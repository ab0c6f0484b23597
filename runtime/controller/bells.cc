#include "runtime/controller/bells.h"

#include <map>

namespace woa {

// In shared memory every end towards a controller rings the same bell: one of each direction does it for all. Over a
// wire each end tells what it has to tell.
Bells::Bells(const Layout& layout, Wiring& wiring) : bell_(layout.channels.size()), sends_(layout.channels.size()) {
  std::map<std::uint32_t, std::uint32_t> bell_of;  // by controller
  for (std::uint32_t c = 0; c < bell_.size(); ++c) {
    const ChannelLayout& channel = layout.channels[c];
    Sender* const sender = wiring.senders[c].get();
    Receiver* const receiver = wiring.receivers[c].get();
    if (sender == nullptr && receiver == nullptr) continue;
    const auto next = static_cast<std::uint32_t>(bells_.size());
    sends_[c] = sender != nullptr;
    bell_[c] = channel.wire ? next : bell_of.emplace(sender != nullptr ? channel.to : channel.from, next).first->second;
    if (bell_[c] == next) bells_.emplace_back();
    Bell& bell = bells_[bell_[c]];
    if (sender != nullptr) bell.sender = sender;
    if (receiver != nullptr) bell.receiver = receiver;
  }
  waiting_.reserve(bells_.size());
}

void Bells::ring_waiting() noexcept {
  for (Bell* const bell : waiting_) {
    if (bell->for_work)
      bell->sender->wake();
    else if (bell->receiver != nullptr)
      bell->receiver->wake();
    else
      bell->sender->wake_for_room();
    bell->for_work = bell->for_room = false;
  }
  waiting_.clear();
}

}  // namespace woa
