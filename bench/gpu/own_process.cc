#include "bench/gpu/own_process.h"

#include <cstring>
#include <string>

#include "runtime/base/child_process.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kTimeoutNs = 120'000'000'000;  // a driver that hangs; on a GPU a launch takes some seconds

// A byte, the code, and the message or the figures as they lie in memory: both ends are the same program.
std::string to_text(const Result<Figures>& result) {
  std::string text(1, static_cast<char>(result.status().code()));
  if (!result.ok()) return text + result.status().message();
  return text.append(reinterpret_cast<const char*>(result->data()), result->size() * sizeof(double));
}

}  // namespace

Result<Figures> in_own_process(const std::function<Result<Figures>()>& launch) {
  const auto text = run_in_child([&] { return to_text(launch()); }, kTimeoutNs);
  if (!text.ok()) return text.status().with_context("the process of a launch");
  const auto code = static_cast<Code>(text->front());
  if (code != Code::kOk) return {code, text->substr(1)};
  Figures figures((text->size() - 1) / sizeof(double));
  std::memcpy(figures.data(), text->data() + 1, figures.size() * sizeof(double));
  return figures;
}

}  // namespace woa::bench
