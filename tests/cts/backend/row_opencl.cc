#include "controllers/gpu/opencl/register.h"
#include "tests/cts/backend/row.h"

woa::test::BackendRow woa::test::backend_row() {
  return {.name = "opencl",
          .factory = opencl_factory(),
          .controller = {.name = "gpu:0", .kind = ControllerKind::kGpu, .backend = "opencl", .lanes = 1},
          .variant = "opencl"};
}
