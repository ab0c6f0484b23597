#include "runtime/onesided/naive_updater.h"
#include "tests/cts/onesided/rig.h"

namespace woa::cts {

Way way() {
  return {Sharing::kExclusive, true, {.ring_slots = 16, .buckets = 0, .bucket_updates = 64, .result_slots = 8}, false};
}

Result<std::unique_ptr<Updater>> open_updater(Transport& transport, const onesided::Link& link, const Region& region,
                                              std::uint32_t) {
  auto updater = onesided::NaiveUpdater::open(transport, way().link, link, {region.bytes().size(), {}});
  if (!updater.ok()) return updater.status();
  return std::unique_ptr<Updater>(std::move(*updater));
}

}  // namespace woa::cts
