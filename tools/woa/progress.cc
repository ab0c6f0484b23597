#include "tools/woa/progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/thread.h"

namespace woa::tools {
namespace {

constexpr std::uint64_t kQuiet_ns = 1'000'000'000;  // short runs need no bar
constexpr std::uint64_t kRedraw_ns = 100'000'000;
constexpr int kBarWidth = 30;

}  // namespace

Progress::Progress(std::uint64_t total, std::string units)
    : total_(total), started_ns_(now_ns()), units_(std::move(units)), enabled_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_ns_ != 0) std::fprintf(stderr, "\r\033[K");
}

void Progress::update(std::uint64_t done) {
  if (!enabled_) return;
  const std::uint64_t now = now_ns();
  if (now - started_ns_ < kQuiet_ns || now - drawn_ns_ < kRedraw_ns) return;
  drawn_ns_ = now;
  const int filled = total_ == 0 ? kBarWidth : static_cast<int>(static_cast<std::uint64_t>(kBarWidth) * done / total_);
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(kBarWidth - filled), '.');
  const double rate = static_cast<double>(done) / (static_cast<double>(now - started_ns_) / 1e9);
  std::fprintf(stderr, "\r[%s] %llu/%llu %s, %.1f/s\033[K", bar.c_str(), static_cast<unsigned long long>(done),
               static_cast<unsigned long long>(total_), units_.c_str(), rate);
}

Waiting::Waiting(std::string what, std::chrono::nanoseconds limit) {
  if (::isatty(STDERR_FILENO) != 1) return;
  // The work itself needs no thread.
  (void)start_thread(thread_, "showing progress",
                     [this, what = std::move(what), limit = std::chrono::ceil<std::chrono::seconds>(limit)](
                         const std::stop_token& stop) { show(stop, what, limit); });
}

Waiting::~Waiting() = default;

void Waiting::show(const std::stop_token& stop, const std::string& what, std::chrono::seconds limit) {
  const std::string bound = limit.count() > 0 ? " (limit " + std::to_string(limit.count()) + " s)" : "";
  std::unique_lock lock(mutex_);
  long long seconds = 0;
  while (!stopped_.wait_for(lock, stop, std::chrono::seconds(1), [&] { return stop.stop_requested(); }))
    std::fprintf(stderr, "\r%s: %lld s%s\033[K", what.c_str(), ++seconds, bound.c_str());
  if (seconds > 0) std::fprintf(stderr, "\r\033[K");
}

}  // namespace woa::tools
