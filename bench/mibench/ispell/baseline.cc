// ispell without a runtime: its kernel for many lines, given the whole text.
#include <algorithm>

#include "bench/mibench/baseline/program.h"
#include "bench/mibench/ispell/plain.h"

namespace woa::mibench {
namespace {

class Ispell : public Program {
 public:
  explicit Ispell(const Files& files)
      : lines_(files.kernels, "ispell_lines", 1, {kRoom},
               {{"affixes", files.settings.at("affixes")}, {"words", files.settings.at("words")}}, kScratch),
        dictionary_(plain_load(files.settings.at("affixes").c_str(), files.settings.at("words").c_str()), plain_free) {}

  void run(Repetition& repetition) override {
    text_ = repetition.read("text");
    check();
    repetition.write("text", lines_.out(0));
  }

  // The kernel's words and near misses, beside loops that look up the same candidates.
  std::vector<HotLoop> loops() override {
    return {{"words and near misses", [this] { check(); },
             [this] { counts_ = plain_check(dictionary_.get(), bytes_of(text_), text_.size()); },
             [this] { return same(); }}};
  }

 private:
  void check() {
    lines_.give(0, bytes_of(text_), text_.size());
    lines_.fire();
  }

  // Are there as many right words, and wrong ones with near misses, as the plain loops count?
  [[nodiscard]] bool same() const {
    const std::string_view result(reinterpret_cast<const char*>(lines_.out(0).data), lines_.out(0).bytes);
    std::int64_t words = 0, right = 0, near = 0;
    for (std::size_t at = 0; at < result.size();) {
      const std::size_t stop = std::min(result.find('\n', at), result.size());
      const char kind = stop == at ? '\0' : result[at];
      words += kind != '\0';
      right += kind == '*' || kind == '+' || kind == '-';
      near += kind == '&';
      at = stop + 1;
    }
    return words == counts_.words && right == counts_.right && near == counts_.near;
  }

  static constexpr std::uint64_t kRoom = 4 << 20, kScratch = 64 << 10;
  Stage lines_;
  std::unique_ptr<void, void (*)(void*)> dictionary_;
  std::string text_;
  plain_counts counts_{};
};

}  // namespace
}  // namespace woa::mibench

int main(int argc, char** argv) {
  return woa::mibench::run_baseline<woa::mibench::Ispell>(
      argc, argv, {.inputs = {"text"}, .settings = {{"affixes", ""}, {"words", ""}}});
}
