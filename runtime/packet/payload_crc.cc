#include "runtime/packet/payload_crc.h"

#include <cstring>
#include <span>

#include "runtime/packet/crc32c.h"

namespace woa {

void put_payload_crc(std::byte* payload, std::uint64_t payload_bytes) noexcept {
  const std::uint32_t crc = crc32c(std::span<const std::byte>(payload, payload_bytes));
  std::memcpy(payload + payload_crc_at(payload_bytes), &crc, sizeof crc);
}

PayloadCrc read_payload_crc(const std::byte* payload, std::uint64_t payload_bytes) noexcept {
  PayloadCrc crc;
  std::memcpy(&crc.carried, payload + payload_crc_at(payload_bytes), sizeof crc.carried);
  crc.computed = crc32c(std::span<const std::byte>(payload, payload_bytes));
  return crc;
}

}  // namespace woa
