#include "tools/woa/waiting.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace woa::tools {

Waiting::Waiting(std::string what, std::chrono::nanoseconds most) {
  if (::isatty(STDERR_FILENO) != 1) return;
  thread_ = std::jthread([this, what = std::move(what), most = std::chrono::ceil<std::chrono::seconds>(most)](
                             const std::stop_token& stop) { show(stop, what, most); });
}

Waiting::~Waiting() = default;

void Waiting::show(const std::stop_token& stop, const std::string& what, std::chrono::seconds most) {
  const std::string bound = most.count() > 0 ? " of at most " + std::to_string(most.count()) : "";
  std::unique_lock lock(mutex_);
  long long seconds = 0;
  while (!stopped_.wait_for(lock, stop, std::chrono::seconds(1), [&] { return stop.stop_requested(); }))
    std::fprintf(stderr, "\r%s: %lld%s s\033[K", what.c_str(), ++seconds, bound.c_str());
  if (seconds > 0) std::fprintf(stderr, "\r\033[K");
}

}  // namespace woa::tools
