#include "tests/cts/transport/channel.h"

woa::ChannelSpec woa::cts::spec() {
  return {.ring_slots = 16, .return_slots = 8, .inline_bytes = 192, .header_crc = false};
}
