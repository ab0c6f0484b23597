#include "runtime/controller/bells.h"

#include <map>

namespace woa {

// In shared memory every end towards a controller rings the same bell: one of them does it for all. Over a wire each
// end tells what it has to tell.
Bells::Bells(const Layout& layout, Wiring& wiring)
    : wiring_(wiring), bell_(layout.channels.size()), waits_(layout.channels.size(), 0) {
  waiting_.reserve(layout.channels.size());
  std::map<std::uint32_t, std::uint32_t> bell_of;  // by controller
  for (auto c = static_cast<std::uint32_t>(bell_.size()); c-- > 0;) {
    const ChannelLayout& channel = layout.channels[c];
    bell_[c] = c;
    if (channel.wire || (wiring.senders[c] == nullptr && wiring.receivers[c] == nullptr)) continue;
    bell_[c] = bell_of.emplace(wiring.senders[c] != nullptr ? channel.to : channel.from, c).first->second;
  }
}

void Bells::ring_waiting() noexcept {
  for (const std::uint32_t c : waiting_) {
    waits_[c] = 0;
    if (Sender* const sender = wiring_.senders[c].get(); sender != nullptr) {
      sender->wake();
    } else {
      wiring_.receivers[c]->wake();
    }
  }
  waiting_.clear();
}

}  // namespace woa
