#include "runtime/messaging/onesided/hardware_updater.h"
#include "tests/cts/onesided/rig.h"

namespace woa::cts {
namespace {

Result<std::unique_ptr<Updater>> open_hardware(AnyTransport, const Way& way, const onesided::Link&,
                                               const Region& region, std::uint32_t origin) {
  auto updater = onesided::HardwareUpdater::open(region, {.origin = origin, .result_slots = way.link.result_slots});
  if (!updater.ok()) return updater.status();
  return std::unique_ptr<Updater>(std::move(*updater));
}

const RegisteredWay kHardware("hardware",
                              {.sharing = Sharing::kCoherent,
                               .owner_polls = false,
                               .link = {.ring_slots = 1, .buckets = 0, .bucket_units = 2, .result_slots = 8},
                               .holds_updates = false,
                               .open = open_hardware});

}  // namespace
}  // namespace woa::cts
