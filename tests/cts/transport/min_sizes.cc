// The smallest channel that there is.
#include "tests/cts/transport/channel.h"

woa::ChannelSpec woa::cts::spec() {
  return {.ring_slots = 1, .return_slots = 1, .inline_bytes = 0, .header_crc = false};
}
