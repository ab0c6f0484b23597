// Inputs of the kernels of `woa bench kernels`: the same bytes and the same picture in each launch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/micro/loaded_stage.h"

namespace woa::bench {

struct PayloadSizes {
  static constexpr std::uint32_t kChannels = 3;
  std::uint64_t bytes = 0;              // of a payload of type bytes, at least 1
  std::uint32_t width = 0, height = 0;  // of a picture, in pixels; 0: there is none
  [[nodiscard]] std::uint64_t picture_bytes() const noexcept { return std::uint64_t{width} * height * kChannels; }
};

// Pieces of a scatter, and lines of the bytes: as many as `split_lines` takes.
inline constexpr std::uint64_t kPieces = 256;
inline std::uint64_t piece_bytes(std::uint64_t bytes) noexcept { return (bytes + kPieces - 1) / kPieces; }

class KernelPayloads {
 public:
  explicit KernelPayloads(const PayloadSizes& sizes);

  [[nodiscard]] const PayloadSizes& sizes() const noexcept { return sizes_; }
  // Letters, in lines of piece_bytes().
  [[nodiscard]] std::span<const std::uint8_t> text() const noexcept;
  // Smooth surfaces with edges and a little noise, in which codecs find what photographs have.
  [[nodiscard]] std::span<const std::uint8_t> picture() const noexcept;

 private:
  PayloadSizes sizes_;
  std::vector<MemoryLine> text_, picture_;
};

// The dimensions of a payload of `type`, as PortDescription has it: "bytes" and "u8[n]" have one, "u8[height,width]"
// and "u8[height,width,channels]" are pictures. Nothing for other types, which are neither bytes nor pixels.
std::optional<std::vector<std::uint32_t>> dims_of(std::string_view type, const PayloadSizes& sizes);

}  // namespace woa::bench
