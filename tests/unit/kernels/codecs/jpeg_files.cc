#include "tests/unit/kernels/codecs/jpeg_files.h"

// clang-format off: jpeglib.h needs size_t and FILE, which it does not include.
#include <cstddef>
#include <cstdio>
// clang-format on
#include <jpeglib.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>

#include "tests/support/require.h"
#include "tests/unit/kernels/codecs/temporary_folder.h"

namespace woa::test {
namespace {

constexpr int kWarned = 2;  // exit code of djpeg where the picture is complete, or nearly so

void run_command(const std::string& command, int also_good = 0) {
  const int status = std::system(command.c_str());
  if (status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == also_good)) return;
  throw std::runtime_error("failed: " + command);
}

Bytes compress(jpeg_compress_struct& info, Bytes& row) {
  unsigned char* memory = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&info, &memory, &bytes);
  jpeg_set_defaults(&info);
  jpeg_start_compress(&info, TRUE);
  JSAMPROW pointer = row.data();
  while (info.next_scanline < info.image_height) jpeg_write_scanlines(&info, &pointer, 1);
  jpeg_finish_compress(&info);
  const Bytes file(memory, memory + bytes);
  std::free(memory);
  return file;
}

}  // namespace

void require_jpeg_tools() {
  for (const std::string tool : {"cjpeg", "djpeg"}) {
    if (std::system(("command -v " + tool + " >/dev/null").c_str()) != 0) skip(tool, "install libjpeg-turbo-progs");
  }
}

RawPicture paint(std::uint32_t width, std::uint32_t height, std::uint32_t channels) {
  std::mt19937 random(width * 31 + height * 7 + channels);
  RawPicture picture{width, height, channels, {}};
  picture.samples.reserve(std::size_t{width} * height * channels);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (std::uint32_t c = 0; c < channels; ++c) {
        const std::uint32_t slope = x * 3 + y * (c + 1), edge = (x / 13 + y / 9) % 2 * 90;
        picture.samples.push_back(static_cast<std::uint8_t>(slope + edge + random() % 24));
      }
    }
  }
  return picture;
}

Bytes cjpeg(const RawPicture& picture, const std::string& options) {
  const TemporaryFolder folder;
  std::ofstream pnm(folder.file("in.pnm"), std::ios::binary);
  pnm << (picture.channels == 1 ? "P5" : "P6") << '\n' << picture.width << ' ' << picture.height << "\n255\n";
  pnm.write(reinterpret_cast<const char*>(picture.samples.data()),
            static_cast<std::streamsize>(picture.samples.size()));
  pnm.close();
  run_command("cjpeg " + options + " -outfile '" + folder.file("out.jpg") + "' '" + folder.file("in.pnm") + "'");
  return read_file(folder.file("out.jpg"));
}

RawPicture djpeg(const Bytes& file) {
  const TemporaryFolder folder;
  write_file(folder.file("in.jpg"), std::string(file.begin(), file.end()));
  run_command("djpeg -dct int -pnm -outfile '" + folder.file("out.pnm") + "' '" + folder.file("in.jpg") + "'", kWarned);
  std::ifstream pnm(folder.file("out.pnm"), std::ios::binary);
  RawPicture picture;
  std::string magic;
  int most = 0;
  pnm >> magic >> picture.width >> picture.height >> most;
  pnm.get();
  picture.channels = magic == "P5" ? 1 : 3;
  picture.samples.assign(std::istreambuf_iterator<char>(pnm), std::istreambuf_iterator<char>());
  return picture;
}

Bytes make_cmyk(std::uint32_t width, std::uint32_t height) {
  jpeg_error_mgr errors;
  jpeg_compress_struct info{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  info.image_width = width;
  info.image_height = height;
  info.input_components = 4;
  info.in_color_space = JCS_CMYK;
  Bytes row(std::size_t{width} * 4, 100);
  const Bytes file = compress(info, row);
  jpeg_destroy_compress(&info);
  return file;
}

std::size_t find_segment(const Bytes& file, std::uint8_t first, std::uint8_t last) {
  for (std::size_t at = 2; at + 9 < file.size() && file[at] == 0xff;) {
    if (file[at + 1] >= first && file[at + 1] <= last) return at + 4;
    at += 2 + (std::size_t{file[at + 2]} << 8 | file[at + 3]);
  }
  throw std::runtime_error("the JPEG has no such segment");
}

std::size_t find_frame(const Bytes& file) { return find_segment(file, 0xc0, 0xc2); }

}  // namespace woa::test
