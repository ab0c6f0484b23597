#include "runtime/packet/crc32c.h"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace woa {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (kPolynomial & (0U - (crc & 1U)));
    table[byte] = crc;
  }
  return table;
}

constexpr auto kTable = make_table();

#ifdef __x86_64__
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::span<const std::byte> bytes) noexcept {
  std::uint64_t crc = ~std::uint32_t{0};
  while (bytes.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    crc = _mm_crc32_u64(crc, word);
    bytes = bytes.subspan(sizeof word);
  }
  auto tail = static_cast<std::uint32_t>(crc);
  for (const std::byte byte : bytes) tail = _mm_crc32_u8(tail, static_cast<unsigned char>(byte));
  return ~tail;
}

const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
#endif

}  // namespace

std::uint32_t crc32c_portable(std::span<const std::byte> bytes) noexcept {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const std::byte byte : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xffU];
  return ~crc;
}

// Before kHasInstruction is initialised it is false: then the table answers, and rightly.
std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept {
#ifdef __x86_64__
  if (kHasInstruction) return crc32c_sse42(bytes);
#endif
  return crc32c_portable(bytes);
}

}  // namespace woa
