// probe_cuda_devices(): a child process lists the devices, a line for each.
#include <algorithm>
#include <string>
#include <string_view>

#include "controllers/gpu/cuda/devices.h"
#include "runtime/base/child_process.h"

namespace woa {
namespace {

constexpr std::uint64_t kTimeoutNs = 20'000'000'000;  // a driver without persistence starts the card first

// A line per device, "S" or "D" (simulated or not) and its name; or "E" and the reason why there is none.
std::string report() {
  const Result<cuda::Library>& cuda = open_cuda();
  if (!cuda.ok()) return "E" + cuda.status().message();
  const auto devices = list_cuda_devices(*cuda);
  if (!devices.ok()) return "E" + devices.status().message();
  std::string lines;
  for (const CudaDevice& device : *devices)
    lines.append(device.description.simulated ? "S" : "D").append(device.description.device).append("\n");
  return lines;
}

Result<std::vector<DeviceDescription>> parse(std::string_view text) {
  if (text.starts_with('E')) return {Code::kUnavailable, std::string(text.substr(1))};
  std::vector<DeviceDescription> devices;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    devices.push_back({.backend = "cuda",
                       .device = std::string(line.substr(1)),
                       .simulated = line.starts_with('S'),
                       .publishes = "worker"});
  }
  return devices;
}

// A library that cannot be opened needs no child process to say so, and each of a program's commands asks.
Result<std::vector<DeviceDescription>> probe() {
  if (const auto& cuda = open_cuda(); !cuda.ok()) return cuda.status();
  const auto text = run_in_child(report, kTimeoutNs);
  if (!text.ok()) return {Code::kUnavailable, "the CUDA driver, asked for its devices, " + text.status().message()};
  return parse(*text);
}

}  // namespace

const Result<std::vector<DeviceDescription>>& probe_cuda_devices() {
  static const Result<std::vector<DeviceDescription>> devices = probe();
  return devices;
}

}  // namespace woa
