// probe_cuda_devices(): a child process lists the devices. Another one tries those that one process may use at a time.
#include <string>

#include "controllers/gpu/cuda/devices.h"
#include "runtime/base/child_process.h"
#include "runtime/controller/probe_in_child.h"

namespace woa {
namespace {

constexpr std::uint64_t kTimeoutNs = 20'000'000'000;  // a driver without persistence starts the card first

// A library that cannot be opened needs no child process to say so, and each of a program's commands asks.
Result<Descriptions> probe() {
  const auto& cuda = open_cuda();
  if (!cuda.ok()) return cuda.status();
  return probe_in_child("the CUDA driver", {.backend = "cuda", .device = "", .publishes = "worker"},
                        [&] { return descriptions(list_cuda_devices(*cuda)); });
}

}  // namespace

const Result<std::vector<DeviceDescription>>& probe_cuda_devices() {
  static const Result<Descriptions> devices = probe();
  return devices;
}

std::vector<bool> probe_taken_cuda_devices() {
  const auto& cuda = open_cuda();
  if (!cuda.ok()) return {};
  const auto marks = run_in_child(
      [&] {
        const auto devices = list_cuda_devices(*cuda);
        std::string taken;
        if (!devices.ok()) return taken;
        for (const CudaDevice& device : *devices) taken += is_taken(*cuda, device) ? '1' : '0';
        return taken;
      },
      kTimeoutNs);
  std::vector<bool> taken;
  if (marks.ok())
    for (const char mark : *marks) taken.push_back(mark == '1');
  return taken;
}

}  // namespace woa
