// woa node DESCRIPTOR: a node of a run, started by `woa run` itself.
#include <memory>

#include "runtime/node/node_process.h"
#include "tools/woa/commands.h"
#include "tools/woa/environment.h"
#include "tools/woa/failure.h"
#include "tools/woa/transports.h"

namespace woa::tools {

void add_node(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("node", "Serve one controller of a run (started by `woa run`)");
  command.group("");  // not for people
  auto descriptor = std::make_shared<int>(-1);
  auto options = std::make_shared<TransportOptions>();
  command.add_option("descriptor", *descriptor, "Control socket")->required();
  add_transport_options(command, *options);
  add_interface_option(command, *options);
  command.callback([descriptor, options, &action] {
    action = [descriptor, options] {
      const BackendRegistry backends = all_backends();
      const auto transport = make_transport(*options);
      if (!transport.ok()) return fail(transport.status(), kUnavailable, false);
      return serve_node(*descriptor, backends, **transport);
    };
  });
}

}  // namespace woa::tools
