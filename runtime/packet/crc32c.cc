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
// The instruction takes three cycles and may begin every cycle: three streams of so many bytes, one after the other in
// memory, take the time of one. A table of what a stream of zeros does to a CRC joins them.
constexpr std::size_t kStreamBytes = 1024;

using OverZeros = std::array<std::array<std::uint32_t, 256>, 4>;  // by byte of the CRC and its value

constexpr OverZeros make_over_zeros() {
  std::array<std::uint32_t, 32> of_bit{};
  for (std::uint32_t bit = 0; bit < of_bit.size(); ++bit) {
    std::uint32_t crc = std::uint32_t{1} << bit;
    for (std::size_t k = 0; k < kStreamBytes; ++k) crc = (crc >> 8) ^ kTable[crc & 0xffU];
    of_bit[bit] = crc;
  }
  OverZeros table{};
  for (std::size_t at = 0; at < table.size(); ++at) {
    for (std::uint32_t value = 0; value < 256; ++value) {
      for (std::uint32_t bit = 0; bit < 8; ++bit)
        if ((value >> bit & 1U) != 0) table[at][value] ^= of_bit[8 * at + bit];
    }
  }
  return table;
}

constexpr OverZeros kOverZeros = make_over_zeros();

constexpr std::uint64_t over_zeros(std::uint64_t crc) noexcept {
  return kOverZeros[0][crc & 0xffU] ^ kOverZeros[1][crc >> 8 & 0xffU] ^ kOverZeros[2][crc >> 16 & 0xffU] ^
         kOverZeros[3][crc >> 24 & 0xffU];
}

__attribute__((target("sse4.2"))) std::uint64_t crc_of_three(std::uint64_t crc, const std::byte* at) noexcept {
  std::uint64_t second = 0, third = 0;
  for (std::size_t k = 0; k < kStreamBytes; k += sizeof(std::uint64_t)) {
    std::array<std::uint64_t, 3> words;
    for (std::size_t stream = 0; stream < words.size(); ++stream)
      std::memcpy(&words[stream], at + stream * kStreamBytes + k, sizeof words[stream]);
    crc = _mm_crc32_u64(crc, words[0]);
    second = _mm_crc32_u64(second, words[1]);
    third = _mm_crc32_u64(third, words[2]);
  }
  return over_zeros(over_zeros(crc) ^ second) ^ third;
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::span<const std::byte> bytes) noexcept {
  std::uint64_t crc = ~std::uint32_t{0};
  for (; bytes.size() >= 3 * kStreamBytes; bytes = bytes.subspan(3 * kStreamBytes))
    crc = crc_of_three(crc, bytes.data());
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

// Until it is initialised kHasInstruction is false: the table then gives the same answer.
std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept {
#ifdef __x86_64__
  if (kHasInstruction) return crc32c_sse42(bytes);
#endif
  return crc32c_portable(bytes);
}

}  // namespace woa
