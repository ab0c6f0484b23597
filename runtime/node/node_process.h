// A node as a process of its own: what a launched program runs instead of its usual main().
#pragma once

#include <filesystem>
#include <vector>

#include "runtime/controller/backend.h"
#include "runtime/node/control_socket.h"
#include "runtime/node/segments.h"
#include "runtime/plan/kernel_declaration.h"

namespace woa {

// What the process brings; the host says the rest.
struct NodeProcess {
  const BackendRegistry* backends = nullptr;
  Transports transports;
  std::vector<std::filesystem::path> kernel_path;  // where the host names no folders: it is elsewhere
  ReadDeclaration read_declaration = {};           // as RunOptions
  bool child = true;                               // of the host's process: does not outlive it
};

// Serves one controller of one run over `socket`: inherited from the process that started the run, or joined (join.h).
// Returns the process's exit code: 0 after an orderly end, 1 after a failure (which the host was told, or is logged), 2
// where there is no host, 3 where the host has no run for it (the reason is logged). Ends the process at once when the
// host dies; one that joined, once it is ready: until then it notices when it answers. A host that does nothing when
// this node's work is over is waited for as long as it said at first, and then logged.
int serve_node(ControlSocket socket, const NodeProcess& process);

// Tells the host why a process that joined cannot serve after all.
void decline(ControlSocket& socket, const Status& why);

}  // namespace woa
