// fft without a runtime: its kernel for all stages.
#include <cstring>

#include "bench/mibench/baseline/program.h"
#include "bench/mibench/fft/plain.h"

namespace woa::mibench {
namespace {

class Fft : public Program {
 public:
  explicit Fft(const Files& files)
      : inverse_(files.settings.at("direction") == "inverse"),
        read_(files.kernels, "fft_read", 1, {kNumbers / 2}),
        transform_(files.kernels, "fft_transform", 1, {kNumbers}, {{"direction", files.settings.at("direction")}},
                   kNumbers),
        print_(files.kernels, "fft_print", 1, {kText}) {}

  void run(Repetition& repetition) override {
    repetition.read_by(read_, "samples");
    transform_.give(0, read_.out(0), 1);
    transform_.fire();
    repetition.system([&] {
      print_.give(0, transform_.out(0), 3);
      print_.fire();
    });
    repetition.write("text", print_.out(0));
  }

  std::vector<HotLoop> loops() override {
    count_ = read_.out(0).dims[0];
    numbers_.resize(std::size_t{2} * count_);
    factors_.resize(count_);
    return {{"transform", [this] { transform_.fire(); }, [this] { plain(); },
             [this] {
               return std::memcmp(transform_.out(0).data, numbers_.data(), numbers_.size() * sizeof(float)) == 0;
             }}};
  }

 private:
  void plain() {
    const auto* samples = reinterpret_cast<const float*>(read_.out(0).data);
    plain_transform(samples, count_, inverse_, numbers_.data(), numbers_.data() + count_, factors_.data());
  }

  // The bounds of kernel.yaml.
  static constexpr std::uint64_t kNumbers = 512 << 10, kText = 7 << 20;
  bool inverse_;
  Stage read_, transform_, print_;
  std::uint32_t count_ = 0;
  std::vector<float> numbers_;
  std::vector<double> factors_;
};

}  // namespace
}  // namespace woa::mibench

int main(int argc, char** argv) {
  return woa::mibench::run_baseline<woa::mibench::Fft>(argc, argv,
                                                       {.inputs = {"samples"}, .settings = {{"direction", "forward"}}});
}
