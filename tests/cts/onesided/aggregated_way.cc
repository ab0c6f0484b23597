#include "tests/cts/onesided/aggregated_way.h"

#include "runtime/onesided/aggregated_updater.h"

namespace woa::cts {

Way way() { return {aggregated_sharing(), true, aggregated_link(), true}; }

Result<std::unique_ptr<Updater>> open_updater(Transport& transport, const onesided::Link& link, const Region& region,
                                              std::uint32_t) {
  auto updater = onesided::AggregatedUpdater::open(transport, way().link, link, {region.bytes().size(), {}});
  if (!updater.ok()) return updater.status();
  return std::unique_ptr<Updater>(std::move(*updater));
}

}  // namespace woa::cts
