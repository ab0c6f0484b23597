// Stages, and a way to run one firing of them through an OpenCL device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/controller/backend.h"

namespace woa::test {

// A dense array and its extents.
struct Array {
  std::vector<std::uint32_t> dims;
  std::vector<std::uint8_t> data;
  friend bool operator==(const Array&, const Array&) = default;
};

inline constexpr std::uint64_t kMaxBytes = 4 << 20;

// The type u8[names...]; "3" is a fixed dimension.
PortType array_type(const std::vector<std::string>& names);

// Ends the program as skipped where there is no OpenCL device.
std::unique_ptr<Backend> make_opencl();

// A plan that is good enough for a backend: the stages, on its controller.
Plan plan_of(std::vector<StagePlan> stages);

struct DeviceAnswer {
  Code code = Code::kOk;
  std::string message;
  Array array;  // of the first output, if ok
  std::uint64_t copied_bytes = 0;
};

// One firing with one input, through `backend`. Waits for it; fails the test after a minute.
DeviceAnswer run(Backend& backend, const Plan& plan, std::uint32_t stage, const Array& input);
// run() through the kernel's table, in this thread.
DeviceAnswer run_on_cpu(const LoadedStage& stage, const Array& input);

}  // namespace woa::test
