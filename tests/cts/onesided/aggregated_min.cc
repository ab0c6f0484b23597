// The smallest link, on memory that others might update by hardware.
#include "tests/cts/onesided/aggregated_way.h"

woa::onesided::Sharing woa::cts::aggregated_sharing() { return Sharing::kCoherent; }
woa::onesided::LinkSpec woa::cts::aggregated_link() {
  return {.ring_slots = 1, .buckets = 1, .bucket_updates = 2, .result_slots = 1};
}
