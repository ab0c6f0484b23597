#include "controllers/cpu/register.h"

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "controllers/cpu/cpu_backend.h"

namespace woa {
namespace {

// The processor's name from /proc/cpuinfo. Some architectures have no such line.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "processor";
}

DeviceDescription describe() { return {.backend = "cpu", .device = processor_name()}; }

}  // namespace

BackendFactory cpu_factory(CpuOptions options) {
  return {.name = "cpu",
          .kind = ControllerKind::kCpu,
          .probe = [] { return Result<std::vector<DeviceDescription>>(std::vector{describe()}); },
          .make = [options = std::move(options)](std::uint32_t,
                                                 const ControllerPlan& controller) -> Result<std::unique_ptr<Backend>> {
            return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(describe(), controller.workers, options));
          }};
}

BackendFactory cpu_factory() { return cpu_factory(CpuOptions()); }

}  // namespace woa
