// The back-ends that the suite knows.
#include "controllers/cpu/register.h"
#include "controllers/fpga/verilator/register.h"
#include "controllers/fpga/xrt/register.h"
#include "controllers/gpu/cuda/register.h"
#include "controllers/gpu/opencl/register.h"
#include "tests/cts/backend/row.h"
#include "tests/support/chosen_row.h"
#ifdef WOA_HAVE_XRT_CARD
#include "tests/support/noop_backend.h"
#include "tests/support/noop_card.h"
#endif

namespace woa::test {
namespace {

BackendRow cpu_row(std::uint32_t workers) {
  return {.name = "cpu",
          .factory = cpu_factory(),
          .controller = make_controller("cpu:0", *find_backend("cpu"), workers),
          .asynchronous = workers > 1,
          .allocates = false};
}

BackendRow opencl_row() {
  return {
      .name = "opencl", .factory = opencl_factory(), .controller = make_controller("gpu:0", *find_backend("opencl"))};
}

BackendRow cuda_row() {
  return {.name = "cuda", .factory = cuda_factory(), .controller = make_controller("gpu:0", *find_backend("cuda"))};
}

BackendRow verilator_row() {
  return {.name = "verilator",
          .factory = verilator_factory(),
          .controller = make_controller("fpga:0", *find_backend("verilator"))};
}

BackendRow xrt_row() {
  return {.name = "xrt", .factory = xrt_factory(), .controller = make_controller("fpga:0", *find_backend("xrt"))};
}

#ifdef WOA_HAVE_XRT_CARD
// XRT's own library with its no-op shim: it takes every call, and the verilated kernel computes.
BackendRow xrt_noop_row() {
  BackendRow row = xrt_row();
  row.factory.make = [](std::uint32_t, const ControllerPlan&) -> Result<std::unique_ptr<Backend>> {
    static const auto table = noop_library(NoopCard());
    if (!table.ok()) return table.status();
    return make_noop_backend(**table, true);
  };
  return row;
}
#endif

}  // namespace

BackendRow backend_row() {
  Rows<BackendRow (*)()> rows("WOA_CTS_ROW");
  rows.add("cpu", [] { return cpu_row(1); });
  rows.add("cpu_workers", [] { return cpu_row(4); });
  rows.add("opencl", opencl_row);
  rows.add("cuda", cuda_row);
  rows.add("verilator", verilator_row);
  rows.add("xrt", xrt_row);
#ifdef WOA_HAVE_XRT_CARD
  rows.add("xrt_noop", xrt_noop_row);
#endif
  return rows.chosen()();
}

}  // namespace woa::test
