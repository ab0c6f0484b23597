// The transports between processes that a command's options choose.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/layout.h"
#include "runtime/transport/transports.h"

namespace woa {

struct TransportOptions {
  std::string transport = "shm";         // between processes of this host: shm or ofi
  bool hosts = false;                    // nodes of other hosts use ofi, whatever `transport` says
  std::string provider = "tcp;ofi_rxm";  // libfabric's provider
  std::string interface {};              // to listen on, for ofi; empty: loopback
  std::vector<std::string> lanes;        // NAME=PROVIDER
};

// --transport and --provider. A provider that nothing takes is bad usage: neither ofi nor `also_taken`.
void add_transport_options(
    CLI::App& command, TransportOptions& options, const std::function<bool()>& also_taken = [] { return false; });
// --provider alone, for commands without a choice of transport.
CLI::Option& add_provider_option(CLI::App& command, TransportOptions& options);
// --interface and --lane.
void add_wire_options(CLI::App& command, TransportOptions& options);

struct OwnedTransports {
  std::unique_ptr<SharedMemory> shared;      // see Transports
  std::vector<std::unique_ptr<Wire>> wires;  // see Transports; one per provider
  std::vector<std::string> providers;        // by wire
  BoundLanes lanes;
  [[nodiscard]] Transports get() const;
};
// Makes shared memory, and ofi with every provider that the options ask for: nodes with the same options number them
// alike. kInvalid: an interface without ofi, or a lane that is bound twice or to nothing. Other errors:
// make_ofi_transport().
Result<OwnedTransports> make_transports(const TransportOptions& options);
// The options for a node that this program starts.
std::vector<std::string> to_arguments(const TransportOptions& options);

}  // namespace woa
