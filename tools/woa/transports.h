// Which transports a command uses between processes, as its options choose.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/node/segments.h"
#include "runtime/transport/transport.h"

namespace woa::tools {

struct TransportOptions {
  std::string transport = "shm";         // between processes of this host: shm or ofi
  bool hosts = false;                    // with ofi to nodes of other hosts, whatever is used here
  std::string provider = "tcp;ofi_rxm";  // of libfabric
  std::string interface {};              // to listen on, for ofi; empty: loopback
};

// --transport and --provider.
void add_transport_options(CLI::App& command, TransportOptions& options);
// --interface.
void add_interface_option(CLI::App& command, TransportOptions& options);

struct OwnedTransports {
  std::unique_ptr<Transport> shared, between;  // as Transports
  [[nodiscard]] Transports get() const noexcept { return {shared.get(), between.get()}; }
};
// Shared memory, and ofi if the options ask for it. kInvalid: an interface without ofi. Otherwise as
// make_ofi_transport().
Result<OwnedTransports> make_transports(const TransportOptions& options);
// What a node that this program starts needs of the options.
std::vector<std::string> to_arguments(const TransportOptions& options);

}  // namespace woa::tools
