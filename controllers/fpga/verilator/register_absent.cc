// Built instead of register.cc where Verilator was not found.
#include "controllers/fpga/verilator/register.h"

namespace woa {

BackendFactory verilator_factory() {
  const Status absent(Code::kUnavailable, WOA_WHY_NOT);
  BackendFactory factory{"verilator", ControllerKind::kFpga, {}, {}};
  factory.probe = [absent]() -> Result<std::vector<DeviceDescription>> { return absent; };
  factory.make = [absent](std::uint32_t, const ControllerPlan&) -> Result<std::unique_ptr<Backend>> { return absent; };
  return factory;
}

}  // namespace woa
