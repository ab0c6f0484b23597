// probe_devices(): a child process lists the devices, a line for each.
#include <algorithm>
#include <string>
#include <string_view>

#include "controllers/gpu/opencl/devices.h"
#include "runtime/base/child_process.h"

namespace woa {
namespace {

constexpr std::uint64_t kTimeoutNs = 20'000'000'000;  // a cold driver compiles its own library first

// A line per device, "S" or "D" (simulated or not) and its name; or "E" and the reason why there is none, "L" and a
// limit that was reached.
std::string report() {
  const Result<OpenCl>& cl = open_cl();
  const auto none = [](const Status& why) {
    return (why.code() == Code::kExhausted ? "L" : "E") + why.message() + "\n";
  };
  if (!cl.ok()) return none(cl.status());
  const auto devices = list_devices(*cl);
  if (!devices.ok()) return none(devices.status());
  std::string lines;
  for (const OpenClDevice& device : *devices) {
    lines.append(device.description.simulated ? "S" : "D").append(device.description.device).append("\n");
  }
  return lines;
}

Result<std::vector<DeviceDescription>> parse(std::string_view text) {
  std::vector<DeviceDescription> devices;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with('E')) return {Code::kUnavailable, std::string(line.substr(1))};
    if (line.starts_with('L')) return {Code::kExhausted, std::string(line.substr(1))};
    devices.push_back({.backend = "opencl", .device = std::string(line.substr(1)), .simulated = line.starts_with('S')});
  }
  return devices;
}

Result<std::vector<DeviceDescription>> probe() {
  const auto text = run_in_child(report, kTimeoutNs);
  if (!text.ok()) return {Code::kUnavailable, "the OpenCL driver, asked for its devices, " + text.status().message()};
  return parse(*text);
}

}  // namespace

const Result<std::vector<DeviceDescription>>& probe_devices() {
  static const Result<std::vector<DeviceDescription>> devices = probe();
  return devices;
}

}  // namespace woa
