#include "controllers/cpu/register.h"

#include <fstream>
#include <memory>
#include <string>

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

BackendFactory factory(bool guarded) {
  return {.name = "cpu",
          .kind = ControllerKind::kCpu,
          .probe = [] { return Result<std::vector<DeviceDescription>>(std::vector{describe()}); },
          .make = [guarded](std::uint32_t, const ControllerPlan& controller) -> Result<std::unique_ptr<Backend>> {
            return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(describe(), controller.workers, guarded));
          }};
}

}  // namespace

BackendFactory cpu_factory() { return factory(false); }
BackendFactory guarded_cpu_factory() { return factory(true); }

}  // namespace woa
