#include "controllers/cpu/register.h"
#include "tests/cts/backend/row.h"

woa::test::BackendRow woa::test::backend_row() {
  return {.name = "cpu",
          .factory = cpu_factory(),
          .controller = {.name = "cpu:0", .kind = ControllerKind::kCpu, .backend = "cpu", .lanes = 1},
          .variant = "cpu",
          .asynchronous = false,
          .allocates = false};
}
