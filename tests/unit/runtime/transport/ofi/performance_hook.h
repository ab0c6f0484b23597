// libfabric's own count of the calls that it gets: its hook `ofi_hook_perf`, put between a program and the provider.
#pragma once

#include <cstdint>
#include <string>

namespace woa::test {

// Has libfabric install the hook; before it is loaded. The hook counts only where it can read a counter of the
// processor's: where the system has none for us, its calls get one that is emulated (emulated_counter.cc).
class PerformanceHook {
 public:
  PerformanceHook();
  ~PerformanceHook();  // what libfabric said is shown
  PerformanceHook(const PerformanceHook&) = delete;
  PerformanceHook& operator=(const PerformanceHook&) = delete;

  // Whether this libfabric has the hook, once a transport was made.
  [[nodiscard]] bool installed() const;
  // How often `call` was made of the provider by transports that are gone: "writedata" of fi_writedata().
  [[nodiscard]] std::uint64_t calls(const std::string& call) const;

 private:
  int log_, stderr_;  // libfabric writes to stderr when a fabric is closed
};

}  // namespace woa::test
