// XRT's own library with its no-op shim: the card of these tests, which ends runs and computes nothing.
#pragma once

#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/xrt/library.h"
#include "controllers/fpga/xrt/probe.h"
#include "runtime/base/scalar.h"
#include "tests/support/catch.h"
#include "tests/support/require.h"

namespace woa::test {

inline constexpr std::size_t kBufferBytes = 8192;

// A device with the test's xclbin and its kernel; four buffers, which every run gets.
class NoopRig {
 public:
  NoopRig() {
    const auto& library = open_xrt();
    if (!library.ok()) skip("xrt", library.status().message());
    xrt_ = library->functions;
    static const bool delayed = delay(xrt_);  // XRT takes a setting until it first reads it
    REQUIRE(delayed);
    auto chosen = choose_xclbin();
    REQUIRE(chosen.ok());
    xclbin_ = std::move(chosen->contents);
    device_ = xrt_.device_open(0);
    REQUIRE(device_ != nullptr);
    REQUIRE(xrt_.load_xclbin(device_, chosen->file.c_str()) == 0);
    kernel_ = xrt_.kernel_open(device_, xclbin_.uuid.data(), "woa_wact:{woa_wact_1}");
    REQUIRE(kernel_ != nullptr);
    for (int argument = 0; argument < 4; ++argument) {
      const int group = xrt_.kernel_group(kernel_, argument);
      REQUIRE(group >= 0);
      buffers_.push_back(xrt_.buffer_alloc(device_, kBufferBytes, 0, static_cast<std::uint32_t>(group)));
      REQUIRE(buffers_.back() != nullptr);
    }
  }
  ~NoopRig() {
    for (const xrt::RunHandle run : runs_) xrt_.run_close(run);
    for (const xrt::BufferHandle buffer : buffers_) xrt_.buffer_free(buffer);
    xrt_.kernel_close(kernel_);
    xrt_.device_close(device_);
  }
  NoopRig(const NoopRig&) = delete;
  NoopRig& operator=(const NoopRig&) = delete;

  // A run with all its arguments.
  xrt::RunHandle run() {
    const xrt::RunHandle run = xrt_.run_open(kernel_);
    REQUIRE(run != nullptr);
    runs_.push_back(run);
    for (int argument = 0; argument < 4; ++argument)
      REQUIRE(xrt_.run_set_argument(run, argument, buffers_[argument]) == 0);
    for (int argument = 4; argument < 7; ++argument)
      REQUIRE(xrt_.run_set_argument(run, argument, std::uint32_t{kBufferBytes}) == 0);
    return run;
  }

  const xrt::Library& xrt() const { return xrt_; }
  xrt::DeviceHandle device() const { return device_; }
  xrt::KernelHandle kernel() const { return kernel_; }
  const Xclbin& xclbin() const { return xclbin_; }
  xrt::BufferHandle buffer(std::size_t argument) const { return buffers_[argument]; }
  std::uint32_t group() const { return static_cast<std::uint32_t>(xrt_.kernel_group(kernel_, 1)); }

 private:
  static bool delay(const xrt::Library& xrt) {
    const char* const us = std::getenv("WOA_NOOP_DELAY_US");
    return us == nullptr ||
           xrt.set_number("Runtime.noop_completion_delay_us", static_cast<unsigned>(*parse_digits(us))) == 0;
  }

  xrt::Library xrt_;
  Xclbin xclbin_;
  xrt::DeviceHandle device_ = nullptr;
  xrt::KernelHandle kernel_ = nullptr;
  std::vector<xrt::BufferHandle> buffers_;
  std::vector<xrt::RunHandle> runs_;
};

}  // namespace woa::test
