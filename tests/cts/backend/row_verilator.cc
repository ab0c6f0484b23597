#include "controllers/fpga/verilator/register.h"
#include "tests/cts/backend/row.h"

woa::test::BackendRow woa::test::backend_row() {
  return {.name = "verilator",
          .factory = verilator_factory(),
          .controller = {.name = "fpga:0", .kind = ControllerKind::kFpga, .backend = "verilator", .lanes = 1},
          .variant = "rtl"};
}
