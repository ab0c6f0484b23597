#include "tests/cts/transport/channel.h"
#include "tests/support/chosen_size.h"

woa::ChannelSpec woa::cts::spec() {
  switch (test::chosen_size()) {
    case test::Size::kDefault: break;
    // The smallest ring in which one packet follows another, the smallest inline area, and CRCs.
    case test::Size::kSmall: return {.ring_slots = 2, .return_slots = 2, .inline_bytes = 64, .header_crc = true};
    // The smallest channel.
    case test::Size::kMin: return {.ring_slots = 1, .return_slots = 1, .inline_bytes = 0, .header_crc = false};
  }
  return {.ring_slots = 16, .return_slots = 8, .inline_bytes = 192, .header_crc = false};
}
