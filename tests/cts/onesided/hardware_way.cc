#include "runtime/onesided/hardware_updater.h"
#include "tests/cts/onesided/rig.h"

namespace woa::cts {

Way way() {
  return {Sharing::kCoherent, false, {.ring_slots = 1, .buckets = 0, .bucket_updates = 2, .result_slots = 8}, false};
}

Result<std::unique_ptr<Updater>> open_updater(Transport&, const onesided::Link&, const Region& region,
                                              std::uint32_t origin) {
  auto updater = onesided::HardwareUpdater::open(region, {.origin = origin, .result_slots = way().link.result_slots});
  if (!updater.ok()) return updater.status();
  return std::unique_ptr<Updater>(std::move(*updater));
}

}  // namespace woa::cts
