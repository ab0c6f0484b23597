// How full the ring of a channel is, as its sender sees it.
#pragma once

#include <cstdint>

#include "runtime/transport/channel.h"

namespace woa::test {

// Places of the ring that are free, with no reservation open: all `ring_slots` once the consumer has read everything.
inline std::uint32_t free_places(Sender& sender, std::uint32_t ring_slots) {
  std::uint32_t places = 0;
  while (places < ring_slots && sender.reserve() == Push::kOk) ++places;
  for (std::uint32_t k = 0; k < places; ++k) sender.cancel();
  return places;
}

}  // namespace woa::test
