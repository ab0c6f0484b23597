// JPEG without a runtime: a JPEG file is decoded, any other is encoded, each by its kernel for all steps.
#include <array>
#include <cstring>

#include "bench/mibench/baseline/program.h"
#include "bench/mibench/jpeg/plain.h"
#include "runtime/base/file.h"

namespace woa::mibench {
namespace {

// The bounds of kernel.yaml.
constexpr std::uint64_t kFile = 5 << 20, kImage = 4 << 20, kY = 2 << 20, kC = 1 << 20, kScratch = 12 << 20;
constexpr std::uint64_t kFrame = 2 * sizeof(std::uint32_t), kSteps = 3 * 64 * sizeof(std::uint16_t);

int height_of(const woa_output& out) { return static_cast<int>(out.dims[0]); }
int width_of(const woa_output& out) { return static_cast<int>(out.dims[1]); }
// The plain loops know no edges that cut through blocks.
bool is_whole(const woa_output& image) { return image.dims[0] % 16 == 0 && image.dims[1] % 16 == 0; }
bool same(const woa_output& found, const std::vector<std::uint8_t>& expected) {
  return std::memcmp(found.data, expected.data(), found.bytes) == 0;
}

// Planes of Y, Cb and Cr that the plain loops write.
struct Planes {
  void resize(const std::array<std::uint64_t, 3>& bytes) {
    y.resize(bytes[0]), cb.resize(bytes[1]), cr.resize(bytes[2]);
  }
  std::vector<std::uint8_t> y, cb, cr;
};

class Encoder : public Program {
 public:
  explicit Encoder(const Files& files)
      : read_(files.kernels, "jpeg_read_ppm", 1, {kImage, kFrame}),
        encode_(files.kernels, "jpeg_encode_all", 2, {kImage}, {{"coding", files.settings.at("coding")}, kQuality},
                kScratch),
        write_(files.kernels, "jpeg_file", 1, {kImage}),
        ycc_(files.kernels, "jpeg_ycc", 1, {kY, kC, kC}),
        fdct_(files.kernels, "jpeg_fdct", 1, {2 * kY}, {{"table", "luminance"}, kQuality}) {}

  void run(Repetition& repetition) override {
    repetition.read_by(read_, "file");
    encode_.give(0, read_.out(0), 3);
    encode_.give(1, read_.out(1));
    encode_.fire();
    repetition.system([&] {
      write_.give(0, encode_.out(0));
      write_.fire();
    });
    repetition.write("file", write_.out(0));
  }

  // The steps of *encode* but for libjpeg's, each as a stage of its own.
  std::vector<HotLoop> loops() override {
    ycc_.give(0, read_.out(0), 3);
    ycc_.fire();
    fdct_.give(0, ycc_.out(0), 2);
    planes_.resize({ycc_.out(0).bytes, ycc_.out(1).bytes, ycc_.out(2).bytes});
    coefficients_.resize(ycc_.out(0).bytes * sizeof(std::int16_t));
    std::vector<HotLoop> all{{"transform", [this] { fdct_.fire(); }, [this] { plain_fdct(); },
                              [this] { return same(fdct_.out(0), coefficients_); }}};
    if (is_whole(read_.out(0)))
      all.push_back({"colours to planes", [this] { ycc_.fire(); }, [this] { plain_ycc(); },
                     [this] {
                       return same(ycc_.out(0), planes_.y) && same(ycc_.out(1), planes_.cb) &&
                              same(ycc_.out(2), planes_.cr);
                     }});
    return all;
  }

 private:
  void plain_ycc() {
    const woa_output& image = read_.out(0);
    plain_convert(image.data, height_of(image), width_of(image), planes_.y.data(), planes_.cb.data(),
                  planes_.cr.data());
  }

  void plain_fdct() {
    // Annex K's table for luminance at the quality below.
    static constexpr std::uint16_t steps[64] = {8,  6,  5,  8,  12, 20, 26, 31, 6,  6,  7,  10, 13, 29, 30, 28,
                                                7,  7,  8,  12, 20, 29, 35, 28, 7,  9,  11, 15, 26, 44, 40, 31,
                                                9,  11, 19, 28, 34, 55, 52, 39, 12, 18, 28, 32, 41, 52, 57, 46,
                                                25, 32, 39, 44, 52, 61, 60, 51, 36, 46, 48, 49, 56, 50, 52, 50};
    const woa_output& y = ycc_.out(0);
    plain_transform(y.data, height_of(y), width_of(y), steps, reinterpret_cast<std::int16_t*>(coefficients_.data()));
  }

  static inline const std::pair<std::string, std::string> kQuality{"quality", "75"};
  Stage read_, encode_, write_, ycc_, fdct_;
  Planes planes_;
  std::vector<std::uint8_t> coefficients_;
};

class Decoder : public Program {
 public:
  explicit Decoder(const Files& files)
      : read_(files.kernels, "jpeg_file", 1, {kImage}),
        decode_(files.kernels, "jpeg_decode_all", 1, {kImage}, {}, kScratch),
        write_(files.kernels, "jpeg_write_ppm", 1, {kFile}),
        entropy_(files.kernels, "jpeg_coefficients", 1, {2 * kY, 2 * kC, 2 * kC, kSteps, kFrame}),
        idct_{std::make_unique<Stage>(files.kernels, "jpeg_idct", 2, kPlane, Params{{"component", "0"}}),
              std::make_unique<Stage>(files.kernels, "jpeg_idct", 2, kPlane, Params{{"component", "1"}}),
              std::make_unique<Stage>(files.kernels, "jpeg_idct", 2, kPlane, Params{{"component", "2"}})},
        rgb_(files.kernels, "jpeg_rgb", 4, {kImage}) {}

  void run(Repetition& repetition) override {
    repetition.read_by(read_, "file");
    decode_.give(0, read_.out(0));
    decode_.fire();
    repetition.system([&] {
      write_.give(0, decode_.out(0), 3);
      write_.fire();
    });
    repetition.write("file", write_.out(0));
  }

  // The steps of *decode* but for libjpeg's, each as a stage of its own.
  std::vector<HotLoop> loops() override {
    entropy_.give(0, read_.out(0));
    entropy_.fire();
    for (std::size_t k = 0; k < idct_.size(); ++k) {
      idct_[k]->give(0, entropy_.out(k), 3);
      idct_[k]->give(1, entropy_.out(3), 2);
      idct_[k]->fire();
      rgb_.give(k, idct_[k]->out(0), 2);
    }
    rgb_.give(3, entropy_.out(4), 1);
    rgb_.fire();
    plane_.resize(plane(0).bytes);
    image_.resize(rgb_.out(0).bytes);
    std::vector<HotLoop> all{{"inverse transform", [this] { idct_[0]->fire(); }, [this] { plain_idct(); },
                              [this] { return same(plane(0), plane_); }}};
    if (is_whole(rgb_.out(0)))
      all.push_back({"planes to colours", [this] { rgb_.fire(); }, [this] { plain_rgb(); },
                     [this] { return same(rgb_.out(0), image_); }});
    return all;
  }

 private:
  [[nodiscard]] const woa_output& plane(std::size_t k) const { return idct_[k]->out(0); }

  void plain_idct() {
    plain_restore(reinterpret_cast<const std::int16_t*>(entropy_.out(0).data), height_of(plane(0)), width_of(plane(0)),
                  reinterpret_cast<const std::uint16_t*>(entropy_.out(3).data), plane_.data());
  }

  void plain_rgb() {
    plain_paint(plane(0).data, plane(1).data, plane(2).data, height_of(rgb_.out(0)), width_of(rgb_.out(0)),
                image_.data());
  }

  static inline const std::vector<std::uint64_t> kPlane{kY};
  Stage read_, decode_, write_, entropy_;
  std::array<std::unique_ptr<Stage>, 3> idct_;
  Stage rgb_;
  std::vector<std::uint8_t> plane_, image_;
};

std::unique_ptr<Program> make(const Files& files) {
  const auto file = read_regular_file(files.in.at("file"), kFile);
  if (file.ok() && file->starts_with("\xff\xd8")) return std::make_unique<Decoder>(files);
  return std::make_unique<Encoder>(files);
}

}  // namespace
}  // namespace woa::mibench

int main(int argc, char** argv) {
  return woa::mibench::run_baseline(argc, argv, {.inputs = {"file"}, .settings = {{"coding", "progressive"}}},
                                    woa::mibench::make);
}
