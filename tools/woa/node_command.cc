// woa node --join ADDR: a node of a run that waits elsewhere. woa serve DESCRIPTOR: one that `woa run` itself started.
// woa worker: a process that runs firings for a cpu controller.
#include <memory>

#include "compiler/compiler.h"
#include "controllers/cpu/register.h"
#include "library/cores.h"
#include "library/environment.h"
#include "library/local_run.h"
#include "library/option_values.h"
#include "library/transports.h"
#include "runtime/base/clock.h"
#include "runtime/base/processor.h"
#include "runtime/node/join.h"
#include "runtime/node/node_process.h"
#include "runtime/node/parallel_job.h"
#include "runtime/node/tcp_socket.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/kernel_watch.h"
#include "tools/woa/process.h"

namespace woa::tools {
namespace {

constexpr const char* kByPmix = "pmix";  // in place of an address, which would have a port

struct NodeArguments {
  JoinOptions join;
  std::string secret;
  std::uint64_t wait_s = 10;
  TransportOptions between;
  Cores cores;
  bool guard = false;
};

int serve(ControlSocket socket, const Transports& transports, bool child, bool guard, std::uint64_t hello_within_ns,
          const Processors& processors) {
  const ForeignOutput foreign;
  const ExitWatch watch;
  const BackendRegistry backends = all_backends(guard);
  NodeProcess process;
  process.backends = &backends;
  process.transports = transports;
  process.kernel_path = kernel_path();
  process.read_declaration = read_declaration;
  process.child = child;
  process.processors = processors;
  process.hello_within_ns = hello_within_ns;
  const int code = serve_node(std::move(socket), process);
  if (code == 1 && !transports.wires.empty()) end_process(code);  // libfabric 1.17 may crash over a lost peer
  return code;
}

int serve_parent(int descriptor, const TransportOptions& between, bool guard) {
  const auto transports = make_transports(between);
  if (!transports.ok()) return fail(transports.status(), code_before_run(transports.status()), false);
  return serve(ControlSocket(UniqueFd(descriptor)), transports->get(), true, guard, 0, {});
}

// The network of only the local address by which the host was reached: the policy for interfaces treats it as any other
// that nobody named.
std::string network_of(const std::string& local_address) {
  const auto local = HostAndPort::parse(local_address);
  if (!local.ok()) return local_address;
  return local->host + (local->host.find(':') == std::string::npos ? "/32" : "/128");
}

int fail_to_join(const Status& status) { return fail(status, code_before_run(status), false); }

// The run's address: that of --join, or with `--join pmix` the one that the run has published to the job.
Result<std::string> address_of_run(const NodeArguments& arguments, ParallelJob& job) {
  if (arguments.join.address != kByPmix) return arguments.join.address;
  auto address = job.find_run(static_cast<int>(arguments.wait_s));
  if (!address.ok()) return address.status().with_context("--join pmix");
  return address;
}

// A node serves one controller, and only one that it asked for is known before the run begins.
int check_cores(const NodeArguments& arguments) {
  for (const auto& [controller, processors] : arguments.cores) {
    if (controller == arguments.join.controller) continue;
    const std::string serves =
        arguments.join.controller.empty() ? "the next free controller" : arguments.join.controller;
    return fail({Code::kInvalid, "--cores " + controller + "=" + to_text(processors) + ": this node serves " + serves +
                                     "; ask for --controller " + controller + ", or name its own"},
                kUsage, false);
  }
  const Status status = check_processors(arguments.cores);
  return status.ok() ? kDone : fail(status, kUnavailable, false);
}

int join_run(const NodeArguments& arguments) {
  if (const int code = check_cores(arguments); code != kDone) return code;
  const auto secret = RunSecret::read(arguments.secret);
  if (!secret.ok())
    return fail(secret.status(), secret.status().code() == Code::kUnavailable ? kUnavailable : kUsage, false);
  auto job = ParallelJob::find();
  if (!job.ok()) return fail_to_join(job.status());
  const auto address = address_of_run(arguments, *job);
  if (!address.ok()) return fail_to_join(address.status());  // told before the job is left (docs/adr/0019)
  job->leave();
  JoinOptions options = arguments.join;
  options.address = *address;
  options.job = job->place();
  options.timeout_ns = arguments.wait_s * 1'000'000'000;
  auto membership = join(options, *secret);
  if (!membership.ok()) return fail_to_join(membership.status());
  set_clock_ahead(membership->clock_ahead_ns);
  TransportOptions between = arguments.between;
  between.transport = "ofi";
  if (between.interface.empty()) between.interface = network_of(membership->local_address);
  const auto transports = make_transports(between);
  if (!transports.ok()) {
    decline(membership->socket, transports.status());
    return fail(transports.status(), code_before_run(transports.status()), false);
  }
  return serve(std::move(membership->socket), transports->get(), false, arguments.guard, membership->hello_within_ns,
               arguments.cores.empty() ? Processors() : arguments.cores.begin()->second);
}

}  // namespace

void add_node(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand(
      "node", "Join a run that waits on this or another host (`woa run --nodes`), and serve one of its controllers");
  auto arguments = std::make_shared<NodeArguments>();
  command.add_option("--join", arguments->join.address, "Address that the run printed, or pmix to ask the launcher")
      ->type_name("HOST:PORT|pmix")
      ->required();
  command.add_option("--secret", arguments->secret, "The run's secret, in a file that only its owner reads")
      ->type_name("FILE")
      ->required();
  command.add_option("--controller", arguments->join.controller, "Controller to serve [the next free one]")
      ->type_name("NAME");
  add_cores_option(command, arguments->cores, "Pin the controller that this node serves: cpu:1=1; needs --controller");
  command.add_option("--wait", arguments->wait_s, "Seconds to wait for the run")
      ->transform(within(1, 86400))
      ->capture_default_str();
  add_provider_option(command, arguments->between);
  add_wire_options(command, arguments->between);
  add_guard_option(command, arguments->guard);
  command.callback([arguments, &action] { action = [arguments] { return join_run(*arguments); }; });
}

void add_serve(CLI::App& app, Action& action) {
  struct Arguments {
    int descriptor = -1;
    TransportOptions between;
    bool guard = false;
  };
  CLI::App& command = *app.add_subcommand(kServeCommand)->group("");
  auto arguments = std::make_shared<Arguments>();
  command.add_option("descriptor", arguments->descriptor)->required();
  add_transport_options(command, arguments->between, [] { return true; });
  add_guard_option(command, arguments->guard);
  add_wire_options(command, arguments->between);
  command.callback([arguments, &action] {
    action = [arguments] { return serve_parent(arguments->descriptor, arguments->between, arguments->guard); };
  });
}

void add_worker(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand(kWorkerCommand)->group("");
  auto guard = std::make_shared<bool>(false);
  add_guard_option(command, *guard);
  command.callback([guard, &action] {
    action = [guard] {
      const ForeignOutput foreign;
      const ExitWatch watch;
      return serve_worker({read_declaration, *guard});
    };
  });
}

}  // namespace woa::tools
