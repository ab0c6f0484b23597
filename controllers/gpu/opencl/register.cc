#include "controllers/gpu/opencl/register.h"

#include <algorithm>
#include <memory>
#include <string>

#include "controllers/gpu/opencl/opencl_backend.h"

namespace woa {
namespace {

constexpr std::uint32_t kFewestQueues = 2;  // one transfers while the other computes

Result<std::unique_ptr<Backend>> make_backend(std::uint32_t ordinal, const ControllerPlan& controller) {
  const auto& probed = probe_devices();
  if (!probed.ok()) return probed.status();
  if (ordinal >= probed->size()) {
    return {Code::kUnavailable, "OpenCL offers " + std::to_string(probed->size()) +
                                    " device(s) here, and this would be number " +
                                    std::to_string(std::uint64_t{ordinal} + 1) + "; `woa devices` lists them"};
  }
  const Result<OpenCl>& cl = open_cl();
  if (!cl.ok()) return cl.status();
  auto devices = list_devices(*cl);
  if (!devices.ok()) return devices.status();
  if (ordinal >= devices->size()) return {Code::kUnavailable, "an OpenCL device went away since it was listed"};
  return std::unique_ptr<Backend>(std::make_unique<OpenClBackend>(*cl, std::move((*devices)[ordinal]),
                                                                  std::max(controller.workers, kFewestQueues)));
}

}  // namespace

BackendFactory opencl_factory() {
  BackendFactory factory{"opencl", ControllerKind::kGpu, {}, {}};
  factory.probe = [] { return probe_devices(); };
  factory.make = make_backend;
  return factory;
}

}  // namespace woa
