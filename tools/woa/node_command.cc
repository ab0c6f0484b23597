// woa node --descriptor N: a node of a run, started by `woa run` itself.
#include <memory>

#include "runtime/node/node_process.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tools/woa/commands.h"
#include "tools/woa/environment.h"

namespace woa::tools {

void add_node(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("node", "Serve one controller of a run (started by `woa run`)");
  command.group("");  // not for people
  auto descriptor = std::make_shared<int>(-1);
  command.add_option("descriptor", *descriptor, "Control socket")->required();
  command.callback([descriptor, &action] {
    action = [descriptor] {
      const BackendRegistry backends = all_backends();
      ShmTransport transport;
      return serve_node(*descriptor, backends, transport);
    };
  });
}

}  // namespace woa::tools
