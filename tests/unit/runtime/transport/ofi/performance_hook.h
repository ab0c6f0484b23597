// libfabric's own count of the calls that it gets: its hook `ofi_hook_perf`, put between a program and the provider.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace woa::test {

class PerformanceHook {
 public:
  // Has libfabric install the hook; before it is loaded.
  PerformanceHook();

  // Runs what opens or closes transports, and keeps what libfabric says of it on stderr.
  void listen(const std::function<void()>& action);
  [[nodiscard]] const std::string& heard() const noexcept { return heard_; }
  // How often `call` was made of the provider by transports that were closed: "writedata" of fi_writedata().
  [[nodiscard]] std::uint64_t calls(const std::string& call) const;

 private:
  std::string heard_;
};

}  // namespace woa::test
