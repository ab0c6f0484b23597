// SUSAN without a runtime: its kernel for all steps, given the whole picture.
#include <cstring>

#include "bench/mibench/baseline/program.h"
#include "bench/mibench/susan/plain.h"

namespace woa::mibench {
namespace {

class Susan : public Program {
 public:
  explicit Susan(const Files& files)
      : read_(files.kernels, "susan_read", 1, {kPixels}),
        edges_(files.kernels, "susan_edges", 1, {kPixels}, {}, kScratch),
        write_(files.kernels, "susan_write", 1, {kFile}),
        response_(files.kernels, "susan_response", 1, {kPixels * sizeof(std::int32_t)}),
        direction_(files.kernels, "susan_direction", 2, {kPixels}) {}

  void run(Repetition& repetition) override {
    repetition.read_by(read_, "file");
    edges_.give(0, read_.out(0), 2);
    edges_.fire();
    repetition.system([&] {
      write_.give(0, edges_.out(0), 2);
      write_.fire();
    });
    repetition.write("file", write_.out(0));
  }

  // The two steps that take most of the time of *edges*, each as a stage of its own.
  std::vector<HotLoop> loops() override {
    const std::size_t pixels = read_.out(0).bytes;
    plain_response_.resize(pixels);
    plain_map_.resize(pixels);
    response_.give(0, read_.out(0), 2);
    response_.fire();
    direction_.give(0, read_.out(0), 2);
    direction_.give(1, response_.out(0), 2);
    return {
        {"response", [this] { response_.fire(); },
         [this] { plain_response(read_.out(0).data, width(), height(), plain_response_.data()); },
         [this] { return same(response_.out(0), plain_response_.data()); }},
        {"direction", [this] { direction_.fire(); },
         [this] { plain_direction(read_.out(0).data, plain_response_.data(), width(), height(), plain_map_.data()); },
         [this] { return same(direction_.out(0), plain_map_.data()); }}};
  }

 private:
  [[nodiscard]] int width() const { return static_cast<int>(read_.out(0).dims[1]); }
  [[nodiscard]] int height() const { return static_cast<int>(read_.out(0).dims[0]); }
  static bool same(const woa_output& found, const void* expected) {
    return std::memcmp(found.data, expected, found.bytes) == 0;
  }

  // The bounds of kernel.yaml.
  static constexpr std::uint64_t kPixels = 4 << 20, kFile = 5 << 20, kScratch = 20 << 20;
  Stage read_, edges_, write_, response_, direction_;
  std::vector<std::int32_t> plain_response_;
  std::vector<std::uint8_t> plain_map_;
};

}  // namespace
}  // namespace woa::mibench

int main(int argc, char** argv) {
  return woa::mibench::run_baseline<woa::mibench::Susan>(argc, argv, {.inputs = {"file"}, .settings = {}});
}
