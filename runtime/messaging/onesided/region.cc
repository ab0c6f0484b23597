#include "runtime/messaging/onesided/region.h"

#include <array>
#include <atomic>
#include <new>
#include <string>

namespace woa::onesided {
namespace {

constexpr std::uint64_t kMagic = 0x31'6e'6f'67'65'52'41'57;  // "WARegon1": name and version

struct alignas(64) Performed {
  std::atomic<std::uint64_t> updates{0};  // by one origin
};

// Precedes a region's data in its segment.
struct alignas(4096) RegionHeader {
  std::uint64_t magic = kMagic;
  std::uint64_t bytes = 0;
  std::uint64_t sharing = 0;
  std::array<Performed, kMaxOrigins> performed{};
};
static_assert(sizeof(RegionHeader) == 4096);

RegionHeader& header_of(std::span<std::byte> data) {
  return *std::launder(reinterpret_cast<RegionHeader*>(data.data() - sizeof(RegionHeader)));
}

}  // namespace

Region::Region(std::shared_ptr<SharedSegment> segment, std::shared_ptr<Mapping> mapping, Sharing sharing) noexcept
    : segment_(std::move(segment)),
      mapping_(std::move(mapping)),
      sharing_(sharing),
      bytes_(mapping_->bytes().subspan(sizeof(RegionHeader))) {}

Result<Region> Region::make(SharedMemory& memory, std::string_view label, std::size_t bytes, Sharing sharing) {
  if (bytes == 0 || bytes >= kMaxRegionBytes)
    return {Code::kInvalid, "region '" + std::string(label) + "' of " + std::to_string(bytes) +
                                " bytes; it must have from 1 byte to 2^48 - 1"};
  auto segment = memory.allocate(label, sizeof(RegionHeader) + bytes);
  if (!segment.ok()) return segment.status();
  auto mapping = (*segment)->map(Access::kReadWrite);
  if (!mapping.ok()) return mapping.status();
  auto* header = new ((*mapping)->bytes().data()) RegionHeader;
  header->bytes = bytes;
  header->sharing = static_cast<std::uint64_t>(sharing);
  return Region(std::move(*segment), std::move(*mapping), sharing);
}

Result<Region> Region::attach(const std::shared_ptr<SharedSegment>& segment) {
  if (segment->bytes() <= sizeof(RegionHeader))
    return {Code::kInvalid,
            "region: a segment of " + std::to_string(segment->bytes()) + " bytes has no room for a region"};
  auto mapping = segment->map(Access::kReadWrite);
  if (!mapping.ok()) return mapping.status();
  const RegionHeader& header = header_of((*mapping)->bytes().subspan(sizeof(RegionHeader)));
  const std::uint64_t bytes = segment->bytes() - sizeof(RegionHeader);
  if (header.magic != kMagic || header.bytes != bytes)
    return {Code::kInvalid, "region: the segment holds no region of " + std::to_string(bytes) +
                                " bytes; both sides must run the same version, and the owner make it first"};
  if (header.sharing == static_cast<std::uint64_t>(Sharing::kExclusive))
    return {Code::kUnsupported,
            "region: its owner alone writes to it; send updates in packets, or have the owner "
            "make a coherent region"};
  if (header.sharing != static_cast<std::uint64_t>(Sharing::kCoherent))
    return {Code::kInvalid, "region: unknown sharing " + std::to_string(header.sharing) + " in the segment"};
  return Region(segment, std::move(*mapping), Sharing::kCoherent);
}

std::uint64_t Region::performed(std::uint32_t origin) const noexcept {
  return header_of(bytes_).performed[origin].updates.load(std::memory_order_acquire);
}

void Region::announce(std::uint32_t origin, std::uint64_t performed) const noexcept {
  header_of(bytes_).performed[origin].updates.store(performed, std::memory_order_release);
}

}  // namespace woa::onesided
