#include "tests/cts/onesided/aggregated_way.h"

woa::onesided::Sharing woa::cts::aggregated_sharing() { return Sharing::kExclusive; }
woa::onesided::LinkSpec woa::cts::aggregated_link() {
  return {.ring_slots = 16, .buckets = 4, .bucket_updates = 64, .result_slots = 8};
}
