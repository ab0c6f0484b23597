// Which transport a command uses between processes, as its options choose.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/transport/transport.h"

namespace woa::tools {

struct TransportOptions {
  std::string transport = "shm";         // shm or ofi
  std::string provider = "tcp;ofi_rxm";  // of libfabric
  std::string interface {};              // to listen on, for ofi; empty: loopback
};

// --transport and --provider.
void add_transport_options(CLI::App& command, TransportOptions& options);
// --interface.
void add_interface_option(CLI::App& command, TransportOptions& options);

// kInvalid: an interface without ofi. Otherwise as make_ofi_transport().
Result<std::unique_ptr<Transport>> make_transport(const TransportOptions& options);
// The options again, for a command that this program starts.
std::vector<std::string> to_arguments(const TransportOptions& options);

}  // namespace woa::tools
