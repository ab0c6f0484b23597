#include "runtime/controller/backend.h"

#include <utility>

namespace woa {

Status Backend::allocate(std::span<const DeviceRegion>) {
  return {Code::kUnsupported, "back-end '" + description().backend +
                                  "' keeps no payloads in its device, but the plan expects it; compile the graph again "
                                  "with this runtime: woa compile GRAPH -o PLAN"};
}

Result<RegionNumbers> Backend::map(std::span<const BackendMapping>) { return RegionNumbers{}; }

Status BackendRegistry::add(BackendFactory factory) {
  if (find(factory.name) != nullptr)
    return {Code::kInvalid, "a backend named '" + factory.name + "' is registered already"};
  factories_.push_back(std::move(factory));
  return {};
}

const BackendFactory* BackendRegistry::find(std::string_view name) const noexcept {
  for (const BackendFactory& factory : factories_) {
    if (factory.name == name) return &factory;
  }
  return nullptr;
}

}  // namespace woa
