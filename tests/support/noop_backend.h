// The back-end on XRT's own library and its no-op shim, with a node of the tests in place of the kernel.
#pragma once

#include <memory>
#include <utility>

#include "controllers/fpga/xrt/library.h"
#include "controllers/fpga/xrt/probe.h"
#include "controllers/fpga/xrt/xrt_backend.h"
#include "tests/support/noop_xrt.h"

namespace woa::test {

// kUnavailable: XRT, its shim or the test's xclbin is absent.
inline Result<std::unique_ptr<Backend>> make_noop_backend(const xrt::Library& table, bool computes = false) {
  const auto& devices = probe_xrt_devices();
  if (!devices.ok()) return devices.status();
  auto chosen = choose_xclbin();
  if (!chosen.ok()) return chosen.status();
  return std::unique_ptr<Backend>(std::make_unique<XrtBackend>(table, XrtCard{.index = 0,
                                                                              .description = devices->front(),
                                                                              .xclbin_file = chosen->file,
                                                                              .xclbin = std::move(chosen->contents),
                                                                              .computes = computes}));
}

inline Result<const xrt::Library*> noop_library(NoopXrt::Compute compute) {
  const auto& library = open_xrt();
  if (!library.ok()) return library.status();
  return &NoopXrt::table(library->functions, std::move(compute));
}

}  // namespace woa::test
