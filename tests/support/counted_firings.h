// Firings of a device's controller, counted by own_calls.h.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "tests/support/own_calls.h"
#include "tests/support/run_in_this_thread.h"

namespace woa::test {

inline constexpr std::uint64_t kWarmUpFirings = 64, kCountedFirings = 256;  // of each stage
inline constexpr int kAbsent = 77, kFailed = 1;

inline int give_up(const Status& status) {
  std::snprintf(own_calls().error, sizeof own_calls().error, "%s", status.message().c_str());
  return status.code() == Code::kUnavailable ? kAbsent : kFailed;
}

// Work of a child: runs `plan` on the back-end that `make` returns, and counts once it is warm. Returns the exit code:
// kAbsent if `make` says kUnavailable; own_calls().error says why.
inline int count_firings(Plan plan, const std::function<Result<std::unique_ptr<Backend>>()>& make) {
  auto backend = make();
  if (!backend.ok()) return give_up(backend.status());
  RunInThisThread running(std::move(plan), [] {
    const Elsewhere waiting;
    std::this_thread::yield();
  });
  Status status = running.start(std::move(backend).value());
  if (status.ok()) status = running.run(kWarmUpFirings);
  if (!status.ok()) return give_up({Code::kInternal, status.message()});
  count_from_here();
  const std::uint64_t before = own_allocations();
  status = running.run(kCountedFirings);
  own_calls().counting = false;
  own_calls().own_allocations = own_allocations() - before - own_calls().library_allocations;
  return status.ok() ? 0 : give_up({Code::kInternal, status.message()});
}

}  // namespace woa::test
