#include "controllers/fpga/xrt/region_buffers.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/base/log.h"

namespace woa {

Result<RegionBuffers::Region> RegionBuffers::make(NodeUnit& unit, const BackendMapping& mapping) {
  auto whole = unit.share(mapping.bytes, mapping.what);
  if (!whole.ok()) return whole.status();
  Region region{std::move(*whole), mapping.first_block, mapping.block_step, {}};
  const std::uint64_t last = mapping.bytes.size() - std::min<std::uint64_t>(mapping.block_bytes, mapping.bytes.size());
  for (std::uint64_t at = region.first_block; at <= last; at += region.block_step) {
    auto block = unit.part(region.whole, at, mapping.block_bytes);
    if (!block.ok()) return block.status();
    region.blocks.push_back(std::move(*block));
  }
  return region;
}

std::vector<const BackendMapping*> RegionBuffers::map(NodeUnit& unit, std::span<const BackendMapping> mappings) {
  std::vector<const BackendMapping*> others;
  for (const BackendMapping& mapping : mappings) {
    if (!mapping.region || mapping.block_bytes <= kSmallBytes) continue;
    const bool may = mapping.may_register && !mapping.bytes.empty() && mapping.block_step != 0;
    Result<Region> region = may ? make(unit, mapping) : Status(Code::kUnsupported, "");
    if (region.ok()) {
      regions_.push_back(std::move(*region));
      continue;
    }
    others.push_back(&mapping);
    if (may)
      log(LogLevel::kWarning, region.status().message() + "; the host copies these payloads, which takes longer");
  }
  std::ranges::sort(regions_, {}, [](const Region& region) { return region.whole.host.data(); });
  return others;
}

const XrtBuffer* RegionBuffers::find(const std::byte* data) const noexcept {
  const auto behind = std::ranges::upper_bound(
      regions_, data, std::less<>(), [](const Region& region) -> const std::byte* { return region.whole.host.data(); });
  if (behind == regions_.begin()) return nullptr;
  const Region& region = *std::prev(behind);
  const auto offset = static_cast<std::uint64_t>(data - region.whole.host.data()) - region.first_block;
  const std::uint64_t block = offset / region.block_step;  // huge in front of the first
  return block < region.blocks.size() && offset % region.block_step == 0 ? &region.blocks[block] : nullptr;
}

}  // namespace woa
