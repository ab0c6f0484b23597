#include "tools/woa/waiting.h"

#include <unistd.h>

#include <cstdio>
#include <system_error>
#include <utility>

namespace woa::tools {

Waiting::Waiting(std::string what, std::chrono::nanoseconds limit) {
  if (::isatty(STDERR_FILENO) != 1) return;
  try {
    thread_ = std::jthread([this, what = std::move(what), limit = std::chrono::ceil<std::chrono::seconds>(limit)](
                               const std::stop_token& stop) { show(stop, what, limit); });
  } catch (const std::system_error&) {  // no thread is to be had: nothing that is waited for needs one
  }
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
