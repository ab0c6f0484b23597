// The ends of channels and the mapped regions of one controller.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "runtime/transport/channel.h"

namespace woa {

struct Wiring {
  std::vector<std::unique_ptr<Mapping>> mappings;    // what the others point into; goes last
  std::unique_ptr<Sleeper> sleeper;                  // null: it sleeps on its doorbell; goes after the ends
  std::vector<std::unique_ptr<Sender>> senders;      // by channel of the layout; null where it is another's
  std::vector<std::unique_ptr<Receiver>> receivers;  // by channel of the layout; null where it is another's
  std::vector<std::span<std::byte>> regions;         // by region; empty if this controller neither writes nor reads it
};

}  // namespace woa
