#include "runtime/transport/ofi/description.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "runtime/packet/crc32c.h"
#include "runtime/transport/ofi/immediate.h"

namespace woa::ofi {
namespace {

constexpr std::uint32_t kMagic = 0x494f4657;  // "WFOI"
constexpr std::uint32_t kVersion = 2;

// As it travels; little-endian, like the packet.
struct Wire {
  std::uint32_t magic = kMagic, version = kVersion;
  std::uint32_t segment = 0, immediate_bytes = 0;
  std::uint64_t bytes = 0, base = 0, key = 0;
  std::array<char, 32> provider{};
  std::array<char, 128> address{};
  std::uint32_t address_bytes = 0;
  std::uint32_t checksum = 0;  // CRC-32C of everything before
};
static_assert(sizeof(Wire) == 208 && offsetof(Wire, checksum) == 204);

std::uint32_t checksum(const Wire& wire) {
  return crc32c(std::as_bytes(std::span(&wire, 1)).first(offsetof(Wire, checksum)));
}

Status invalid(const std::string& what) {
  return {Code::kInvalid, "ofi: description of a segment: " + what +
                              "; it must come unchanged from Segment::description()"
                              " of the same version"};
}

}  // namespace

std::string SegmentDescription::encode() const {
  Wire wire;
  wire.segment = segment, wire.immediate_bytes = immediate_bytes;
  wire.bytes = bytes, wire.base = base, wire.key = key;
  std::copy_n(provider.begin(), std::min(provider.size(), wire.provider.size() - 1), wire.provider.begin());
  wire.address_bytes = static_cast<std::uint32_t>(std::min(address.size(), wire.address.size()));
  std::copy_n(address.begin(), wire.address_bytes, wire.address.begin());
  wire.checksum = checksum(wire);
  return {reinterpret_cast<const char*>(&wire), sizeof wire};
}

Result<SegmentDescription> SegmentDescription::decode(std::string_view bytes) {
  Wire wire;
  if (bytes.size() != sizeof wire)
    return invalid(std::to_string(bytes.size()) + " bytes, expected " + std::to_string(sizeof wire));
  std::memcpy(&wire, bytes.data(), sizeof wire);
  if (wire.magic != kMagic) return invalid("it does not begin like one");
  if (wire.version != kVersion)
    return invalid("version " + std::to_string(wire.version) + ", expected " + std::to_string(kVersion));
  if (wire.checksum != checksum(wire)) return invalid("its checksum is wrong");
  if (wire.address_bytes == 0 || wire.address_bytes > wire.address.size())
    return invalid("an address of " + std::to_string(wire.address_bytes) + " bytes");
  if (wire.segment >= kSegments) return invalid("segment number " + std::to_string(wire.segment));
  if (wire.provider.back() != '\0') return invalid("a provider's name without an end");
  SegmentDescription out;
  out.provider = wire.provider.data();
  out.address.assign(wire.address.data(), wire.address_bytes);
  out.segment = wire.segment, out.immediate_bytes = wire.immediate_bytes;
  out.bytes = wire.bytes, out.base = wire.base, out.key = wire.key;
  return out;
}

}  // namespace woa::ofi
