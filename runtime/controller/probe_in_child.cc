#include "runtime/controller/probe_in_child.h"

#include <algorithm>
#include <string>

#include "runtime/base/child_process.h"

namespace woa {
namespace {

constexpr std::uint64_t kTimeoutNs =
    20'000'000'000;  // a cold driver starts the card, or compiles its own library first

// A line per device, "S" or "D" (simulated or not) and its name; or "E" and the reason why there is none, "L" and a
// limit that was reached.
std::string lines_of(const Result<Descriptions>& devices) {
  if (!devices.ok())
    return (devices.status().code() == Code::kExhausted ? "L" : "E") + std::string(devices.status().message());
  std::string lines;
  for (const DeviceDescription& each : *devices) lines.append(each.simulated ? "S" : "D").append(each.device) += '\n';
  return lines;
}

Result<Descriptions> parse(std::string_view text, const DeviceDescription& like) {
  if (text.starts_with('E')) return {Code::kUnavailable, std::string(text.substr(1))};
  if (text.starts_with('L')) return {Code::kExhausted, std::string(text.substr(1))};
  Descriptions devices;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    DeviceDescription& device = devices.emplace_back(like);
    device.device = line.substr(1);
    device.simulated = line.starts_with('S');
  }
  return devices;
}

}  // namespace

Result<Descriptions> probe_in_child(std::string_view driver, const DeviceDescription& like,
                                    const std::function<Result<Descriptions>()>& list) {
  const auto text = run_in_child([&] { return lines_of(list()); }, kTimeoutNs);
  if (!text.ok())
    return {Code::kUnavailable, std::string(driver) + ", asked for its devices, " + text.status().message()};
  return parse(*text, like);
}

}  // namespace woa
