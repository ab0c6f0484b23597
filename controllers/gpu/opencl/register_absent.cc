// Built instead of register.cc where OpenCL's headers were not found.
#include "controllers/gpu/opencl/register.h"

namespace woa {

BackendFactory opencl_factory() {
  const Status absent(Code::kUnavailable, WOA_WHY_NOT);
  BackendFactory factory{"opencl", ControllerKind::kGpu, {}, {}};
  factory.probe = [absent]() -> Result<std::vector<DeviceDescription>> { return absent; };
  factory.make = [absent](std::uint32_t, const ControllerPlan&) -> Result<std::unique_ptr<Backend>> { return absent; };
  return factory;
}

}  // namespace woa
