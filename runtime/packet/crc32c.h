// CRC-32C (Castagnoli; reflected, initial value and final xor all ones): of headers and of payloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace woa {

// The CRC of `bytes`, by the processor's instruction where it has one. Never blocks or allocates; any thread.
std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept;

// The same by a table on every processor: what crc32c falls back to.
std::uint32_t crc32c_portable(std::span<const std::byte> bytes) noexcept;

}  // namespace woa
