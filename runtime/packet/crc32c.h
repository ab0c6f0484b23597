// CRC-32C (Castagnoli; reflected, initial value and final xor all ones), for headers and payloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace woa {

// The CRC of `bytes`, by the processor's instruction if it has one. Never blocks or allocates; any thread.
std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept;

// crc32c() by a table, on every processor: the fallback.
std::uint32_t crc32c_portable(std::span<const std::byte> bytes) noexcept;

}  // namespace woa
