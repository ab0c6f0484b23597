#include "controllers/fpga/xrt/register.h"

#include <memory>
#include <string>
#include <utility>

#include "controllers/fpga/xrt/probe.h"
#include "controllers/fpga/xrt/xrt_backend.h"

namespace woa {
namespace {

Result<std::unique_ptr<Backend>> make_backend(std::uint32_t ordinal, const ControllerPlan&) {
  const auto& probed = probe_xrt_devices();
  if (!probed.ok()) return probed.status();
  if (ordinal >= probed->size()) {
    return {Code::kUnavailable, "XRT offers " + std::to_string(probed->size()) +
                                    " unit(s) of the packet node here, and this would be number " +
                                    std::to_string(std::uint64_t{ordinal} + 1) + "; `woa devices` lists them"};
  }
  auto xclbin = choose_xclbin();
  if (!xclbin.ok()) return xclbin.status();
  const XrtLibrary& library = *open_xrt();
  return std::unique_ptr<Backend>(std::make_unique<XrtBackend>(
      library.functions, XrtCard{.index = ordinal / static_cast<unsigned>(node_units(xclbin->contents)),
                                 .description = (*probed)[ordinal],
                                 .xclbin_file = std::move(xclbin->file),
                                 .xclbin = std::move(xclbin->contents),
                                 .computes = !library.opens_any}));  // the no-op shim opens any device
}

}  // namespace

BackendFactory xrt_factory() {
  BackendFactory factory{"xrt", ControllerKind::kFpga, {}, {}};
  factory.probe = [] { return probe_xrt_devices(); };
  factory.make = make_backend;
  return factory;
}

}  // namespace woa
