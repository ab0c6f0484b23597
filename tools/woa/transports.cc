#include "tools/woa/transports.h"

#include "runtime/transport/ofi/ofi_transport.h"
#include "runtime/transport/shm/shm_transport.h"

namespace woa::tools {
namespace {

// Until all nodes have opened their ends. A node that dies meanwhile is noticed by the process that started it, so this
// only has to be longer than any device takes to get ready.
constexpr std::uint64_t kStartNs = 60'000'000'000;

}  // namespace

void add_transport_options(CLI::App& command, TransportOptions& options) {
  command
      .add_option("--transport", options.transport,
                  "Between processes of this host: shm (shared memory), or ofi (libfabric)")
      ->check(CLI::IsMember({"shm", "ofi"}))
      ->capture_default_str();
  command.add_option("--provider", options.provider, "Of libfabric, for ofi")->capture_default_str();
}

void add_interface_option(CLI::App& command, TransportOptions& options) {
  command.add_option("--interface", options.interface,
                     "For ofi: a network interface, one of its addresses or a network [loopback]");
}

Result<OwnedTransports> make_transports(const TransportOptions& options) {
  OwnedTransports transports;
  transports.shared = std::make_unique<ShmTransport>();
  if (options.transport != "ofi" && !options.hosts) {
    if (options.interface.empty()) return transports;
    return {Code::kInvalid, "--interface is for --transport ofi; shared memory has none"};
  }
  OfiOptions ofi;
  ofi.provider = options.provider;
  ofi.interface = options.interface;
  ofi.start_ns = kStartNs;
  auto between = make_ofi_transport(ofi);
  if (!between.ok()) return between.status();
  transports.between = std::move(*between);
  return transports;
}

std::vector<std::string> to_arguments(const TransportOptions& options) {
  std::vector<std::string> arguments{"--transport", options.hosts ? "ofi" : options.transport, "--provider",
                                     options.provider};
  if (!options.interface.empty()) arguments.insert(arguments.end(), {"--interface", options.interface});
  return arguments;
}

}  // namespace woa::tools
