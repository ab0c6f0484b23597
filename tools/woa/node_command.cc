// woa node --join ADDR: a node of a run that waits elsewhere. `woa run` starts nodes of its own with woa node
// DESCRIPTOR.
#include <memory>

#include "runtime/base/clock.h"
#include "runtime/node/join.h"
#include "runtime/node/node_process.h"
#include "runtime/node/parallel_job.h"
#include "runtime/node/tcp_socket.h"
#include "tools/woa/commands.h"
#include "tools/woa/environment.h"
#include "tools/woa/failure.h"
#include "tools/woa/transports.h"

namespace woa::tools {
namespace {

constexpr const char* kByPmix = "pmix";  // in place of an address; none is like it, since it has no port

struct NodeArguments {
  int descriptor = -1;
  JoinOptions join;
  std::string secret;
  TransportOptions between;
};

int serve(ControlSocket socket, const Transports& transports, bool child) {
  const BackendRegistry backends = all_backends();
  NodeProcess process;
  process.backends = &backends;
  process.transports = transports;
  process.kernel_path = kernel_path();
  process.child = child;
  return serve_node(std::move(socket), process);
}

int serve_parent(const NodeArguments& arguments) {
  const auto transports = make_transports(arguments.between);
  if (!transports.ok()) return fail(transports.status(), kUnavailable, false);
  return serve(ControlSocket(UniqueFd(arguments.descriptor)), transports->get(), true);
}

// The network of the one address by which the host was reached: the policy for interfaces looks at it as at any other
// that nobody named.
std::string network_of(const std::string& local_address) {
  const auto local = HostAndPort::parse(local_address);
  if (!local.ok()) return local_address;
  return local->host + (local->host.find(':') == std::string::npos ? "/32" : "/128");
}

// With the place of this process in its job, and, for `--join pmix`, the address that the job's run has told. Leaves
// the job: the run is reached by its address from then on.
Status complete(JoinOptions& options) {
  auto job = ParallelJob::find();
  if (!job.ok()) return job.status();
  options.job = job->place();
  if (options.address != kByPmix) return {};
  auto address = job->find_run(static_cast<int>(options.timeout_ns / 1'000'000'000));
  if (!address.ok()) return address.status().with_context("--join pmix");
  options.address = std::move(*address);
  return {};
}

int join_run(const NodeArguments& arguments) {
  const auto secret = RunSecret::read(arguments.secret);
  if (!secret.ok())
    return fail(secret.status(), secret.status().code() == Code::kUnavailable ? kUnavailable : kUsage, false);
  JoinOptions options = arguments.join;
  const Status found = complete(options);
  auto membership = found.ok() ? join(options, *secret) : Result<Membership>(found);
  if (!membership.ok())
    return fail(membership.status(), membership.status().code() == Code::kInvalid ? kUsage : kUnavailable, false);
  set_clock_ahead(membership->clock_ahead_ns);
  TransportOptions between = arguments.between;
  between.transport = "ofi";
  if (between.interface.empty()) between.interface = network_of(membership->local_address);
  const auto transports = make_transports(between);
  if (!transports.ok()) {
    decline(membership->socket, transports.status());
    return fail(transports.status(), kUnavailable, false);
  }
  return serve(std::move(membership->socket), transports->get(), false);
}

}  // namespace

void add_node(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand(
      "node", "Join a run that waits on this or another host (`woa run --nodes`), and serve one of its controllers");
  auto arguments = std::make_shared<NodeArguments>();
  CLI::Option& descriptor = *command.add_option("descriptor", arguments->descriptor)->group("");  // of `woa run` itself
  CLI::Option& address =
      *command
           .add_option(
               "--join", arguments->join.address,
               "Where the run waits, as it printed it; pmix: as the run told its launcher, which started this node "
               "beside it")
           ->type_name("HOST:PORT|pmix")
           ->excludes(&descriptor);
  command.add_option("--secret", arguments->secret, "The run's secret, in a file that only its owner reads")
      ->type_name("FILE")
      ->needs(&address);
  command.add_option("--controller", arguments->join.controller, "Serve this one [any that no other node asks for]")
      ->type_name("NAME")
      ->needs(&address);
  add_transport_options(command, arguments->between);
  add_interface_option(command, arguments->between);
  command.callback([&command, arguments, &action] {
    if (command.count("--join") == 0 && command.count("descriptor") == 0) throw CLI::RequiredError("--join");
    if (command.count("--join") != 0 && command.count("--secret") == 0) throw CLI::RequiredError("--secret");
    const bool joins = command.count("--join") != 0;
    action = [arguments, joins] { return joins ? join_run(*arguments) : serve_parent(*arguments); };
  });
}

}  // namespace woa::tools
