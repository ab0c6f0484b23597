#include "controllers/fpga/verilator/register.h"

#include "controllers/fpga/verilator/verilator_backend.h"

namespace woa {

BackendFactory verilator_factory() {
  BackendFactory factory{"verilator", ControllerKind::kFpga, {}, {}};
  factory.probe = []() -> Result<std::vector<DeviceDescription>> {
    return std::vector<DeviceDescription>{verilator_description()};
  };
  factory.make = [](std::uint32_t, const ControllerPlan&) -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(std::make_unique<VerilatorBackend>());
  };
  return factory;
}

}  // namespace woa
