#include "runtime/messaging/onesided/aggregated_updater.h"
#include "tests/cts/onesided/rig.h"

namespace woa::cts {
namespace {

Result<std::unique_ptr<Updater>> open_aggregated(AnyTransport transport, const Way& way, const onesided::Link& link,
                                                 const Region& region, std::uint32_t) {
  auto updater = onesided::AggregatedUpdater::open(transport, way.link, link, {region.bytes().size(), {}});
  if (!updater.ok()) return updater.status();
  return std::unique_ptr<Updater>(std::move(*updater));
}

const RegisteredWay kAggregated("aggregated",
                                {.sharing = Sharing::kExclusive,
                                 .owner_polls = true,
                                 .link = {.ring_slots = 16, .buckets = 4, .bucket_units = 64, .result_slots = 8},
                                 .holds_updates = true,
                                 .open = open_aggregated});
// The smallest link, on memory that others might update by hardware.
const RegisteredWay kAggregatedMin("aggregated_min",
                                   {.sharing = Sharing::kCoherent,
                                    .owner_polls = true,
                                    .link = {.ring_slots = 1, .buckets = 1, .bucket_units = 2, .result_slots = 1},
                                    .holds_updates = true,
                                    .open = open_aggregated});

}  // namespace
}  // namespace woa::cts
