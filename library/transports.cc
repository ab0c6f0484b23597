#include "library/transports.h"

#include <algorithm>

#include "library/option_values.h"
#include "runtime/transport/ofi/ofi_transport.h"
#include "runtime/transport/shm/shm_transport.h"

namespace woa {
namespace {

// Limit until all nodes have opened their ends. The run bounds that itself (--start-limit) and notices a node that dies
// meanwhile, so this only has to be longer.
constexpr std::uint64_t kStartNs = 24ULL * 3600 * 1'000'000'000;

// The number of the wire with this provider, which is made if there is none.
Result<std::uint32_t> wire_over(const std::string& provider, const std::string& interface,
                                OwnedTransports& transports) {
  const auto known = std::ranges::find(transports.providers, provider);
  const auto number = static_cast<std::uint32_t>(known - transports.providers.begin());
  if (known != transports.providers.end()) return number;
  OfiOptions ofi;
  ofi.provider = provider;
  ofi.interface = interface;
  ofi.start_ns = kStartNs;
  WOA_ASSIGN_OR_RETURN(auto wire, make_ofi_transport(ofi));
  transports.wires.push_back(std::move(wire));
  transports.providers.push_back(provider);
  return number;
}

Status bind_lane(const std::string& text, const std::string& interface, OwnedTransports& transports) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals >= text.size() - 1)
    return {Code::kInvalid, "expected NAME=PROVIDER, for instance bulk=tcp;ofi_rxm"};
  const std::string name = text.substr(0, equals);
  if (transports.lanes.contains(name)) return {Code::kInvalid, "lane '" + name + "' is bound already; leave one out"};
  WOA_ASSIGN_OR_RETURN(const auto wire, wire_over(text.substr(equals + 1), interface, transports));
  transports.lanes.emplace(name, wire);
  return {};
}

}  // namespace

CLI::Option& add_provider_option(CLI::App& command, TransportOptions& options) {
  return *command.add_option("--provider", options.provider, "libfabric provider; `fi_info` lists those here")
              ->capture_default_str();
}

void add_transport_options(CLI::App& command, TransportOptions& options, const std::function<bool()>& also_taken) {
  command
      .add_option("--transport", options.transport,
                  "Between processes of this host: shm (shared memory), or ofi (libfabric)")
      ->check(one_of({"shm", "ofi"}))
      ->capture_default_str();
  const CLI::Option& provider = add_provider_option(command, options);
  command.parse_complete_callback([&options, &provider, also_taken] {
    if (provider.count() != 0 && options.transport != "ofi" && !also_taken())
      throw CLI::ValidationError("--provider",
                                 "it is libfabric's, and nothing here goes over that; add --transport ofi");
  });
}

void add_wire_options(CLI::App& command, TransportOptions& options) {
  command.add_option("--interface", options.interface,
                     "For ofi: a network interface, one of its addresses or a network [loopback]");
  command
      .add_option("--lane", options.lanes,
                  "Bind a lane that the graph names to a provider of libfabric, wherever its ends are; may be repeated")
      ->type_name("NAME=PROVIDER")
      ->take_all()
      ->allow_extra_args(false);
}

Transports OwnedTransports::get() const {
  Transports transports{shared.get(), {}};
  for (const auto& wire : wires) transports.wires.push_back(wire.get());
  return transports;
}

Result<OwnedTransports> make_transports(const TransportOptions& options) {
  OwnedTransports transports;
  transports.shared = std::make_unique<ShmTransport>();
  if (options.transport == "ofi" || options.hosts) {
    WOA_RETURN_IF_ERROR(wire_over(options.provider, options.interface, transports).status());
  }
  for (const std::string& text : options.lanes)
    WOA_RETURN_IF_ERROR(bind_lane(text, options.interface, transports).with_context("--lane " + text));
  if (transports.wires.empty() && !options.interface.empty())
    return {Code::kInvalid, "--interface is for --transport ofi or --lane; shared memory has none"};
  return transports;
}

std::vector<std::string> to_arguments(const TransportOptions& options) {
  std::vector<std::string> arguments{"--transport", options.hosts ? "ofi" : options.transport, "--provider",
                                     options.provider};
  if (!options.interface.empty()) arguments.insert(arguments.end(), {"--interface", options.interface});
  for (const std::string& lane : options.lanes) arguments.insert(arguments.end(), {"--lane", lane});
  return arguments;
}

}  // namespace woa
