// A node as a process of its own: a launched program calls this instead of its usual main().
#pragma once

#include <filesystem>
#include <vector>

#include "runtime/base/processor.h"
#include "runtime/controller/backend.h"
#include "runtime/node/control_socket.h"
#include "runtime/node/segments.h"
#include "runtime/plan/kernel_declaration.h"

namespace woa {

// The setup that the process provides; the host says the rest.
struct NodeProcess {
  const BackendRegistry* backends = nullptr;
  Transports transports;
  std::vector<std::filesystem::path> kernel_path;  // used if the host names no folders, being elsewhere
  ReadDeclaration read_declaration = {};           // see RunOptions
  bool child = true;                               // of the host's process: does not outlive it
  std::uint64_t hello_within_ns = 0;               // of a node that joined: longest wait for the host's first word
  Processors processors = {};                      // that its loop is pinned to, instead of those that the host names
};

// Serves one controller of one run over `socket`: inherited from the process that started the run, or joined (join.h).
// Returns the process's exit code: 0 after an orderly end, 1 after a failure (the host was told, or it is logged), 2
// without a host, 3 if the host has no run for it (the reason is logged). Ends the process at once when the host dies.
// A node that joined does so once it is ready; before, it notices at its next answer. When its work is over it waits
// for a silent host as long as the hello said, then logs that.
int serve_node(ControlSocket socket, const NodeProcess& process);

// Tells the host why a process that joined cannot serve after all.
void decline(ControlSocket& socket, const Status& why);

}  // namespace woa
