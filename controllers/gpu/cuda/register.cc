#include "controllers/gpu/cuda/register.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "controllers/gpu/cuda/cuda_backend.h"
#include "runtime/base/scalar.h"

namespace woa {
namespace {

constexpr std::uint32_t kFewestQueues = 2;  // one transfers while the other computes
constexpr const char* kConnections = "CUDA_DEVICE_MAX_CONNECTIONS";
constexpr std::uint32_t kDefaultConnections = 8,
                        kMostConnections = 32;  // CUDA C++ Programming Guide, Environment Variables

std::uint32_t connections() {
  const char* const set = std::getenv(kConnections);
  const auto number = parse_digits(set == nullptr ? "" : set);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(number.value_or(kDefaultConnections), 1, kMostConnections));
}

Result<std::unique_ptr<Backend>> make_backend(std::uint32_t ordinal, const ControllerPlan& controller) {
  const auto& probed = probe_cuda_devices();
  if (!probed.ok()) return probed.status();
  if (ordinal >= probed->size()) {
    return {Code::kUnavailable, "CUDA offers " + std::to_string(probed->size()) +
                                    " device(s) here, and this would be number " +
                                    std::to_string(std::uint64_t{ordinal} + 1) + "; `woa devices` lists them"};
  }
  const Result<cuda::Library>& cuda = open_cuda();
  auto devices = list_cuda_devices(*cuda);
  if (!devices.ok()) return devices.status();
  if (ordinal >= devices->size()) return {Code::kUnavailable, "a CUDA device went away since it was listed"};
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(
      *cuda, std::move((*devices)[ordinal]), std::max(controller.workers, kFewestQueues), connections()));
}

}  // namespace

BackendFactory cuda_factory() {
  // Also over a user's LAZY: the first launch would load the module then, and wait for a worker that runs.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  ::setenv(kConnections, std::to_string(kMostConnections).c_str(), 0);
  BackendFactory factory{"cuda", ControllerKind::kGpu, {}, {}};
  factory.probe = [] { return probe_cuda_devices(); };
  factory.make = make_backend;
  return factory;
}

}  // namespace woa
