#include "bench/micro/kernel_payloads.h"

#include <charconv>

namespace woa::bench {
namespace {

std::uint8_t* begin_of(std::vector<MemoryLine>& memory) { return reinterpret_cast<std::uint8_t*>(memory.data()); }

std::span<const std::uint8_t> first_of(const std::vector<MemoryLine>& memory, std::uint64_t bytes) {
  return {reinterpret_cast<const std::uint8_t*>(memory.data()), bytes};
}

void write_text(std::uint8_t* to, std::uint64_t bytes) {
  constexpr std::uint64_t kFactor = 6364136223846793005, kStep = 1442695040888963407;  // Knuth's generator
  constexpr int kTopBits = 60;                                                         // 16 letters
  std::uint64_t random = 1;
  const std::uint64_t line = piece_bytes(bytes);
  for (std::uint64_t k = 0; k < bytes; ++k) {
    random = random * kFactor + kStep;
    to[k] = k % line == line - 1 ? '\n' : static_cast<std::uint8_t>('a' + (random >> kTopBits));
  }
}

// bench/peers/opencv.py paints the same.
void paint(std::uint8_t* to, const PayloadSizes& sizes) {
  for (std::uint32_t y = 0; y < sizes.height; ++y)
    for (std::uint32_t x = 0; x < sizes.width; ++x)
      for (std::uint32_t c = 0; c < PayloadSizes::kChannels; ++c)
        *to++ = static_cast<std::uint8_t>(x * (c + 1) / 8 + y / 4 + ((x * x ^ 3 * y * y) >> 4 & 3));
}

}  // namespace

KernelPayloads::KernelPayloads(const PayloadSizes& sizes)
    : sizes_(sizes), text_(lines(sizes.bytes)), picture_(lines(sizes.picture_bytes())) {
  write_text(begin_of(text_), sizes.bytes);
  paint(begin_of(picture_), sizes);
}

std::span<const std::uint8_t> KernelPayloads::text() const noexcept { return first_of(text_, sizes_.bytes); }

std::span<const std::uint8_t> KernelPayloads::picture() const noexcept {
  return first_of(picture_, sizes_.picture_bytes());
}

std::optional<std::vector<std::uint32_t>> dims_of(std::string_view type, const PayloadSizes& sizes) {
  const auto bytes = static_cast<std::uint32_t>(sizes.bytes);
  if (type == "bytes") return std::vector{bytes};
  constexpr std::string_view kBegin = "u8[";
  if (!type.starts_with(kBegin)) return std::nullopt;
  std::vector<std::uint32_t> fixed;  // 0: varies
  for (std::size_t at = kBegin.size(); at < type.size(); at = type.find_first_of(",]", at) + 1) {
    fixed.push_back(0);
    std::from_chars(type.data() + at, type.data() + type.size(), fixed.back());
  }
  std::vector<std::uint32_t> dims{bytes};
  if (fixed.size() > 1) dims = {sizes.height, sizes.width};
  if (fixed.size() == 3) dims.push_back(PayloadSizes::kChannels);
  if (fixed.size() != dims.size()) return std::nullopt;
  for (std::size_t k = 0; k < dims.size(); ++k) dims[k] = fixed[k] != 0 ? fixed[k] : dims[k];
  return dims;
}

}  // namespace woa::bench
