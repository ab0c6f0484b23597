// A node as a process of its own: what a launched program runs instead of its usual main().
#pragma once

#include "runtime/controller/backend.h"
#include "runtime/transport/transport.h"

namespace woa {

// Serves one controller of one run over the control socket `descriptor` (inherited from the process that started the
// run), then returns the process's exit code: 0 after an orderly end, 1 after a failure (which the host was told). Ends
// the process at once when the host dies.
int serve_node(int descriptor, const BackendRegistry& backends, Transport& transport);

}  // namespace woa
