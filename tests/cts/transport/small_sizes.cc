// The smallest ring in which one packet follows another, the smallest inline area, and CRCs.
#include "tests/cts/transport/channel.h"

woa::ChannelSpec woa::cts::spec() {
  return {.ring_slots = 2, .return_slots = 2, .inline_bytes = 64, .header_crc = true};
}
