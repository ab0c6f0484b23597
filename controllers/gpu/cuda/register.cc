#include "controllers/gpu/cuda/register.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "controllers/gpu/cuda/cuda_backend.h"

namespace woa {
namespace {

constexpr std::uint32_t kFewestQueues = 2;  // one transfers while the other computes

Result<std::unique_ptr<Backend>> make_backend(std::uint32_t ordinal, const ControllerPlan& controller) {
  const auto& probed = probe_cuda_devices();
  if (!probed.ok()) return probed.status().with_context(controller.name);
  if (ordinal >= probed->size()) {
    return {Code::kUnavailable, controller.name + ": CUDA offers " + std::to_string(probed->size()) +
                                    " device(s) here, the last of them as gpu:" + std::to_string(probed->size() - 1)};
  }
  const Result<cuda::Library>& cuda = open_cuda();
  auto devices = list_cuda_devices(*cuda);
  if (!devices.ok()) return devices.status().with_context(controller.name);
  if (ordinal >= devices->size())
    return {Code::kUnavailable, controller.name + ": a CUDA device went away since it was listed"};
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(*cuda, std::move((*devices)[ordinal]),
                                                                std::max(controller.workers, kFewestQueues)));
}

}  // namespace

BackendFactory cuda_factory() {
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  BackendFactory factory{"cuda", ControllerKind::kGpu, {}, {}};
  factory.probe = [] { return probe_cuda_devices(); };
  factory.make = make_backend;
  return factory;
}

}  // namespace woa
