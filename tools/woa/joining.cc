#include "tools/woa/joining.h"

#include <cstdio>

#include "runtime/node/run_secret.h"
#include "runtime/transport/ofi/interface_policy.h"
#include "tools/woa/parallel_job.h"

namespace woa::tools {
namespace {

Result<std::string> address_of(const std::string& interface) {
  const auto interfaces = ofi::list_interfaces();
  if (!interfaces.ok()) return interfaces.status();
  return ofi::choose_address(interface, *interfaces);
}

void say(const std::string& what) { std::fprintf(stderr, "woa: %s\n", what.c_str()); }

}  // namespace

void add_join_options(CLI::App& command, JoinArguments& arguments) {
  CLI::Option& nodes = *command
                            .add_option("--nodes", arguments.nodes,
                                        "Wait until so many have joined (`woa node --join`); each serves a controller, "
                                        "the others are served here")
                            ->check(CLI::PositiveNumber);
  command
      .add_option("--listen", arguments.listen,
                  "For nodes and their packets: a network interface, one of its addresses or a network")
      ->type_name("INTERFACE")
      ->needs(&nodes);
  command.add_option("--secret", arguments.secret, "What nodes must have too, in a file that only its owner reads")
      ->type_name("FILE")
      ->needs(&nodes);
  command.add_option("--port", arguments.port, "That nodes join at [any that is free]")->needs(&nodes);
  command.add_option("--wait", arguments.wait_s, "For nodes, so many seconds")
      ->needs(&nodes)
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
}

Status complete(const JoinArguments& arguments, bool processes, TransportOptions& between) {
  const handshake::JobPlace job = parallel_job();
  if (job.in_job()) {
    return {Code::kInvalid,
            "this is process " + std::to_string(job.rank) + " of " + std::to_string(job.size) +
                " that a launcher started, and each would be a run of its own; start `woa run --nodes " +
                std::to_string(job.size) + "` once, and `woa node --join` with the launcher"};
  }
  if (arguments.nodes == 0) return {};
  if (arguments.listen.empty()) return {Code::kInvalid, "--nodes needs --listen INTERFACE: where nodes reach this run"};
  if (arguments.secret.empty()) return {Code::kInvalid, "--nodes needs --secret FILE: what nodes have to know"};
  if (!processes) return {Code::kInvalid, "nodes are processes; --nodes needs --processes per-controller"};
  between.hosts = true;
  if (!between.interface.empty()) return {};
  auto address = address_of(arguments.listen);
  if (!address.ok()) return address.status();
  between.interface = std::move(*address);
  return {};
}

Result<JoinedNodes> await_nodes(const JoinArguments& arguments, const Plan& plan) {
  if (arguments.nodes == 0) return JoinedNodes();
  auto secret = RunSecret::read(arguments.secret);
  if (!secret.ok()) return secret.status();
  auto address = address_of(arguments.listen);
  if (!address.ok()) return address.status();
  auto listener = JoinListener::open(*address, arguments.port, std::move(*secret));
  if (!listener.ok()) return listener.status();
  say("waiting for " + std::to_string(arguments.nodes) + " nodes: woa node --join " + (*listener)->address() +
      " --secret FILE");
  auto nodes = (*listener)->admit(plan, arguments.nodes, arguments.wait_s * 1'000'000'000, say);
  if (!nodes.ok()) return nodes.status();
  for (const auto& [controller, node] : *nodes)
    say(plan.controllers[controller].name + " is served by " + node.address);
  return nodes;
}

}  // namespace woa::tools
