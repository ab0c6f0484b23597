// sha without a runtime: its kernels, one after another, at the grain of medium.yaml. The block function is also timed
// with 64 bytes a turn, the grain of fine.yaml.
#include <algorithm>

#include "bench/mibench/baseline/program.h"
#include "bench/mibench/sha/plain.h"
#include "bench/mibench/sha/sha.h"

namespace woa::mibench {
namespace {

class Sha : public Program {
 public:
  explicit Sha(const Files& files)
      : sha1_(files.settings.at("algorithm") == "sha1"),
        read_(files.kernels, "sha_read", 2, {kStateBytes + kMostChunk, kStateBytes},
              {{"chunk", files.settings.at("chunk")}}),
        block_(files.kernels, "sha_block", 1, {kStateBytes}, {{"algorithm", files.settings.at("algorithm")}}),
        digest_(files.kernels, "sha_digest", 1, {kTextRoom}) {}

  void run(Repetition& repetition) override {
    data_ = repetition.read("data");
    read_.begin();
    read_.give(0, reinterpret_cast<const std::uint8_t*>(kFirstState), kStateBytes);
    read_.give(1, bytes_of(data_), data_.size());
    for (;;) {
      repetition.system([&] { read_.fire(); });
      if (read_.wrote(1)) break;
      block_.give(0, read_.out(0));
      block_.fire();
      read_.give(0, block_.out(0));
    }
    repetition.system([&] {
      digest_.give(0, read_.out(1));
      digest_.fire();
    });
    repetition.write("text", digest_.out(0));
  }

  // The block function on the whole message, with large tokens and with small ones.
  std::vector<HotLoop> loops() override {
    large_ = tokens(kMostChunk);
    small_ = tokens(kBlockBytes);
    return {loop("block, 8 KiB a turn", large_), loop("block, 64 B a turn", small_)};
  }

 private:
  using Tokens = std::vector<std::vector<std::uint8_t>>;

  HotLoop loop(const std::string& name, Tokens& all) {
    return {name, [this, &all] { hash_all(all); },
            [this] { plain_sha(bytes_of(data_), data_.size(), sha1_ ? 1 : 0, plain_digest_); },
            [this] { return std::equal(plain_digest_, plain_digest_ + kWords, kernel_digest_); }};
  }

  // The message in chunks, each behind room for a state.
  [[nodiscard]] Tokens tokens(std::uint64_t chunk) const {
    Tokens all;
    const std::uint64_t total = message_bytes(data_.size());
    for (std::uint64_t at = 0; at < total; at += chunk) {
      const std::uint64_t bytes = std::min(chunk, total - at);
      copy_message(all.emplace_back(kStateBytes + bytes).data() + kStateBytes, bytes_of(data_), data_.size(), at,
                   bytes);
    }
    return all;
  }

  void hash_all(Tokens& all) {
    const auto* state = reinterpret_cast<const std::uint8_t*>(kFirstState);
    for (std::vector<std::uint8_t>& token : all) {
      std::copy_n(state, kStateBytes, token.begin());
      block_.give(0, token.data(), token.size());
      block_.fire();
      state = block_.out(0).data;
    }
    std::copy_n(state, kStateBytes, reinterpret_cast<std::uint8_t*>(kernel_digest_));
  }

  static constexpr std::uint64_t kTextRoom = 64;
  bool sha1_;
  Stage read_, block_, digest_;
  std::string data_;
  Tokens large_, small_;
  std::uint32_t plain_digest_[kWords]{}, kernel_digest_[kWords]{};
};

}  // namespace
}  // namespace woa::mibench

int main(int argc, char** argv) {
  return woa::mibench::run_baseline<woa::mibench::Sha>(
      argc, argv, {.inputs = {"data"}, .settings = {{"algorithm", "sha0"}, {"chunk", "8192"}}});
}
