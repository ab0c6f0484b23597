// XRT's own library with its no-op shim, and a test's node in place of the kernel: it computes on the host's copies of
// the buffers, since the shim has no others. Every call goes to the library, too.
#pragma once

#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/xrt/xrt_api.h"

namespace woa::test {

// The arguments of a run. Memory may be longer than the node is told.
struct NoopRun {
  std::array<xrt::BufferHandle, 4> buffer{};  // command, input, output, result
  std::array<std::byte*, 4> memory{};         // of these
  std::array<std::uint32_t, 8> value{};       // of the others, by the argument's number
};

class NoopXrt {
 public:
  using Compute = std::function<void(const NoopRun& run)>;

  // One per process, because the library's functions have no state of a caller's. `compute` runs one run at a time,
  // within its start.
  static const xrt::Library& table(const xrt::Library& real, Compute compute) {
    NoopXrt& self = instance();
    self.real_ = real;
    self.compute_ = std::move(compute);
    self.table_ = real;
    self.table_.run_set_argument = set_argument;
    self.table_.run_start = start;
    self.table_.run_close = close;
    return self.table_;
  }
  // Runs that are open, with their arguments.
  static std::map<xrt::RunHandle, NoopRun> open_runs() {
    const std::lock_guard lock(instance().mutex_);
    return instance().runs_;
  }

 private:
  static NoopXrt& instance() {
    static auto& self = *new NoopXrt;  // the library's threads may outlive main()
    return self;
  }
  NoopRun& run(xrt::RunHandle handle) {
    const std::lock_guard lock(mutex_);
    return runs_[handle];
  }
  static int set_argument(xrt::RunHandle handle, int argument, ...) {
    NoopXrt& self = instance();
    NoopRun& run = self.run(handle);
    const auto number = static_cast<std::size_t>(argument);
    std::va_list values;
    va_start(values, argument);
    int result = 0;
    if (number < run.memory.size()) {
      const auto buffer = run.buffer[number] = va_arg(values, xrt::BufferHandle);
      run.memory[number] = static_cast<std::byte*>(self.real_.buffer_map(buffer));
      result = self.real_.run_set_argument(handle, argument, buffer);
    } else {
      const auto value = va_arg(values, std::uint32_t);
      run.value.at(number) = value;
      result = self.real_.run_set_argument(handle, argument, value);
    }
    va_end(values);
    return result;
  }
  static int start(xrt::RunHandle handle) {
    NoopXrt& self = instance();
    NoopRun& run = self.run(handle);
    {
      const std::lock_guard lock(self.computing_);
      self.compute_(run);
    }
    return self.real_.run_start(handle);
  }
  static int close(xrt::RunHandle handle) {
    NoopXrt& self = instance();
    {
      const std::lock_guard lock(self.mutex_);
      self.runs_.erase(handle);
    }
    return self.real_.run_close(handle);
  }

  xrt::Library real_, table_;
  Compute compute_;
  std::mutex mutex_, computing_;
  std::map<xrt::RunHandle, NoopRun> runs_;
};

}  // namespace woa::test
