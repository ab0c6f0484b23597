// Which transports a command uses between processes, as its options choose.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/layout.h"
#include "runtime/transport/transports.h"

namespace woa::tools {

struct TransportOptions {
  std::string transport = "shm";         // between processes of this host: shm or ofi
  bool hosts = false;                    // with ofi to nodes of other hosts, whatever is used here
  std::string provider = "tcp;ofi_rxm";  // of libfabric
  std::string interface {};              // to listen on, for ofi; empty: loopback
  std::vector<std::string> lanes;        // NAME=PROVIDER
};

// --transport and --provider. The provider is bad usage where nothing takes it: without ofi, and `also_taken` says no.
void add_transport_options(
    CLI::App& command, TransportOptions& options, const std::function<bool()>& also_taken = [] { return false; });
// --provider alone, for commands that have no choice.
CLI::Option& add_provider_option(CLI::App& command, TransportOptions& options);
// --interface and --lane.
void add_wire_options(CLI::App& command, TransportOptions& options);

struct OwnedTransports {
  std::unique_ptr<Transport> shared;              // as Transports
  std::vector<std::unique_ptr<Transport>> wires;  // likewise, one for each provider
  std::vector<std::string> providers;             // by wire
  BoundLanes lanes;
  [[nodiscard]] Transports get() const;
};
// Shared memory, and ofi with every provider that the options ask for: nodes with the same options number them alike.
// kInvalid: an interface without ofi, or a lane that is bound twice or to nothing. Otherwise as make_ofi_transport().
Result<OwnedTransports> make_transports(const TransportOptions& options);
// What a node that this program starts needs of the options.
std::vector<std::string> to_arguments(const TransportOptions& options);

}  // namespace woa::tools
