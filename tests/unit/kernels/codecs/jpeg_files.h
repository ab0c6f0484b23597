// JPEG files for tests, and the reference decoder's pictures of them.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/kernel_under_test.h"

namespace woa::test {

struct RawPicture {
  std::uint32_t width = 0, height = 0, channels = 0;
  Bytes samples;
};

// Skips the program if cjpeg or djpeg is absent.
void require_jpeg_tools();

// Gradients, edges and noise; the same for the same arguments.
RawPicture paint(std::uint32_t width, std::uint32_t height, std::uint32_t channels);

// Encodes `picture` with cjpeg. Throws std::runtime_error if that fails.
Bytes cjpeg(const RawPicture& picture, const std::string& options);

// Decodes a file with `djpeg -dct int`, perhaps with warnings. Throws std::runtime_error if it gives no picture.
RawPicture djpeg(const Bytes& file);

// A picture of four components, which cjpeg cannot write.
Bytes make_cmyk(std::uint32_t width, std::uint32_t height);

// Offset of the content of the first segment whose marker is from ff `first` to ff `last`. Throws std::runtime_error if
// there is none.
std::size_t find_segment(const Bytes& file, std::uint8_t first, std::uint8_t last);

// Offset of `precision, height, width` in the frame header.
std::size_t find_frame(const Bytes& file);

}  // namespace woa::test
