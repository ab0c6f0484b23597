// Nodes that join a run from elsewhere: the options of `woa run`, and the wait.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "library/environment.h"
#include "library/transports.h"
#include "runtime/base/status.h"
#include "runtime/node/join_listener.h"
#include "runtime/node/parallel_job.h"
#include "runtime/plan/plan.h"

namespace woa {

struct JoinArguments {
  std::size_t nodes = 0;  // 0: nobody joins
  std::string listen, secret;
  std::uint16_t port = 0;
  std::uint64_t wait_s = 10;
};

// --nodes, --listen, --secret, --port, --wait.
void add_join_options(CLI::App& command, JoinArguments& arguments);
// Completes `between`: ofi reaches nodes, on the interface that the run listens on. kInvalid: an option is missing, or
// contradicts another (`processes`: a process per controller) or the place in `job`. kUnavailable: the system
// lists no interfaces.
Status complete(const JoinArguments& arguments, const ParallelJob& job, bool processes, TransportOptions& between);
// Waits for the nodes; says how to start them (they need the options of `between`), and who came. Returns
// none for `nodes` 0. `start_ns` is that of the run (RunOptions). Nodes of `job` find the run until `job` is left.
// kInvalid, kNotFound: the interface or the secret. kUnavailable: nodes are missing.
Result<JoinedNodes> await_nodes(const JoinArguments& arguments, const TransportOptions& between, const Plan& plan,
                                std::uint64_t start_ns, ParallelJob& job, const OnMessage& say);

}  // namespace woa
