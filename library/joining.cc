#include "library/joining.h"

#include "library/option_values.h"
#include "runtime/base/text.h"
#include "runtime/node/run_secret.h"
#include "runtime/transport/ofi/interface_policy.h"

namespace woa {
namespace {

Result<std::string> address_of(const std::string& interface) {
  WOA_ASSIGN_OR_RETURN(const auto interfaces, ofi::list_interfaces());
  return ofi::choose_address(interface, interfaces);
}

// A launcher starts the run as its first process, and nodes as all others.
Status check_place(std::size_t nodes, const ParallelJob& job) {
  const JobPlace place = job.place();
  const bool first = place.rank == ParallelJob::kRunRank;
  if (!place.in_job() || (first && nodes + 1 == place.size)) return {};
  const std::string which = "this is process " + std::to_string(place.rank) + " of " + std::to_string(place.size) +
                            " that a launcher started (" + job.told_by() +
                            "; unset what a launcher that has ended left behind), and ";
  if (first && nodes != 0)
    return {Code::kInvalid, which + "with --nodes " + std::to_string(nodes) + " it has to start " +
                                std::to_string(nodes + 1) + ": the run and the nodes"};
  const std::string others = std::to_string(place.size - 1);
  return {Code::kInvalid, which + "each would be a run of its own; start `woa run --nodes " + others +
                              "` as the first and `woa node --join` as the other " + others};
}

// The options that nodes need because the run has them, quoted for a shell.
std::string options_for_nodes(const TransportOptions& between) {
  std::string options;
  if (between.provider != TransportOptions().provider) options += " --provider '" + between.provider + "'";
  for (const std::string& lane : between.lanes) options += " --lane '" + lane + "'";
  return options;
}

// Prints how to start nodes, and publishes the address to nodes of the run's own job.
void announce(const JoinArguments& arguments, const TransportOptions& between, const std::string& address,
              ParallelJob& job, const OnMessage& say) {
  const Status published = job.place().in_job() ? job.publish_run(address) : Status();
  say("waiting for " + counted(arguments.nodes, "node") + ": woa node --join " + address + " --secret FILE" +
      options_for_nodes(between));
  if (!published.ok()) say("nodes of this job cannot --join pmix: " + published.message());
}

}  // namespace

void add_join_options(CLI::App& command, JoinArguments& arguments) {
  CLI::Option& nodes = *command
                            .add_option("--nodes", arguments.nodes,
                                        "Wait for N nodes (`woa node --join`); each serves one controller, this host "
                                        "serves the rest")
                            ->transform(positive());
  command.add_option("--listen", arguments.listen, "Interface, address or network that nodes and their packets use")
      ->type_name("INTERFACE")
      ->needs(&nodes);
  command.add_option("--secret", arguments.secret, "File with the secret that nodes prove; only its owner may read it")
      ->type_name("FILE")
      ->needs(&nodes);
  command.add_option("--port", arguments.port, "Port for nodes [any free one]")
      ->transform(within(1, 65535))
      ->needs(&nodes);
  command.add_option("--wait", arguments.wait_s, "Seconds to wait for nodes")
      ->needs(&nodes)
      ->transform(within(1, 86400))
      ->capture_default_str();
}

Status complete(const JoinArguments& arguments, const ParallelJob& job, bool processes, TransportOptions& between) {
  WOA_RETURN_IF_ERROR(check_place(arguments.nodes, job));
  if (arguments.nodes == 0) return {};
  if (arguments.listen.empty()) return {Code::kInvalid, "--nodes needs --listen INTERFACE, for instance --listen eth0"};
  if (arguments.secret.empty()) return {Code::kInvalid, "--nodes needs --secret FILE, a file that every node has, too"};
  if (!processes) return {Code::kInvalid, "nodes are processes; --nodes needs --processes per-controller"};
  between.hosts = true;
  if (!between.interface.empty()) return {};
  WOA_ASSIGN_OR_RETURN(between.interface, address_of(arguments.listen));
  return {};
}

Result<JoinedNodes> await_nodes(const JoinArguments& arguments, const TransportOptions& between, const Plan& plan,
                                std::uint64_t start_ns, ParallelJob& job, const OnMessage& say) {
  if (arguments.nodes == 0) return JoinedNodes();
  WOA_ASSIGN_OR_RETURN(auto secret, RunSecret::read(arguments.secret));
  WOA_ASSIGN_OR_RETURN(auto address, address_of(arguments.listen));
  WOA_ASSIGN_OR_RETURN(auto listener, JoinListener::open(address, arguments.port, std::move(secret)));
  announce(arguments, between, listener->address(), job, say);
  WOA_ASSIGN_OR_RETURN(
      auto nodes, listener->admit(plan, arguments.nodes, job.place(), arguments.wait_s * 1'000'000'000, start_ns, say));
  for (const auto& [controller, node] : nodes) say(plan.controllers[controller].name + " is served by " + node.address);
  return nodes;
}

}  // namespace woa
