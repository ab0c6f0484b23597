#include "runtime/messaging/onesided/naive_updater.h"
#include "tests/cts/onesided/rig.h"

namespace woa::cts {
namespace {

Result<std::unique_ptr<Updater>> open_naive(AnyTransport transport, const Way& way, const onesided::Link& link,
                                            const Region& region, std::uint32_t) {
  auto updater = onesided::NaiveUpdater::open(transport, way.link, link, {region.bytes().size(), {}});
  if (!updater.ok()) return updater.status();
  return std::unique_ptr<Updater>(std::move(*updater));
}

const RegisteredWay kNaive("naive", {.sharing = Sharing::kExclusive,
                                     .owner_polls = true,
                                     .link = {.ring_slots = 16, .buckets = 0, .bucket_units = 64, .result_slots = 8},
                                     .holds_updates = false,
                                     .open = open_naive});

}  // namespace
}  // namespace woa::cts
