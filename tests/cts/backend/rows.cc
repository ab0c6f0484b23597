// The back-ends that the suite knows.
#include "controllers/cpu/register.h"
#include "controllers/fpga/verilator/register.h"
#include "controllers/gpu/cuda/register.h"
#include "controllers/gpu/opencl/register.h"
#include "tests/cts/backend/row.h"
#include "tests/support/chosen_row.h"

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

}  // namespace

BackendRow backend_row() {
  Rows<BackendRow (*)()> rows("WOA_CTS_ROW");
  rows.add("cpu", [] { return cpu_row(1); });
  rows.add("cpu_workers", [] { return cpu_row(4); });
  rows.add("opencl", opencl_row);
  rows.add("cuda", cuda_row);
  rows.add("verilator", verilator_row);
  return rows.chosen()();
}

}  // namespace woa::test
