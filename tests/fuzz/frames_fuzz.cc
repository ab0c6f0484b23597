// Any bytes, by each rule: taken at once and one by one they have the same frames, and the same end.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "tools/frames/frame_scanner.h"

namespace {

using woa::tools::FrameRule;
using woa::tools::FrameScanner;

// The sizes of the frames; behind them 0 if the rest is none.
std::vector<std::size_t> frames(const FrameRule& rule, std::span<const std::byte> bytes, std::size_t piece) {
  const auto scanner = FrameScanner::make(rule);
  std::vector<std::size_t> sizes;
  std::size_t size = 0;
  while (!bytes.empty()) {
    const auto taken = scanner->take(bytes.first(std::min(piece, bytes.size())));
    if (!taken.ok()) {
      sizes.push_back(0);
      return sizes;
    }
    if (*taken == 0 || *taken > piece) std::abort();
    size += *taken;
    bytes = bytes.subspan(*taken);
    if (!scanner->complete(false)) continue;
    if (scanner->before() + scanner->after() > size) std::abort();
    sizes.push_back(size);
    size = 0;
    scanner->begin();
  }
  return sizes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  for (const char* text : {"lines", "u32", "npy", "jpeg", "fixed:3"}) {
    const auto rule = FrameRule::parse(text);
    if (!rule.ok()) std::abort();
    if (frames(*rule, bytes, size) != frames(*rule, bytes, 1)) std::abort();
  }
  return 0;
}
