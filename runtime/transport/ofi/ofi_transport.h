// ofi: channels between hosts, over libfabric.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/base/status.h"
#include "runtime/transport/wire.h"

namespace woa {

struct OfiOptions {
  // As libfabric names it. "tcp;ofi_rxm" is everywhere; a machine with the devices names "verbs;ofi_rxm", "efa" or
  // "cxi", none of which this code was tried with. "shm" stays on the host and serves comparisons. "sockets" is
  // refused.
  std::string provider = "tcp;ofi_rxm";
  // Name of a network interface, one of its addresses, or a network (10.77.0.0/16); empty: loopback, which no other
  // host reaches (ofi/interface_policy.h).
  std::string interface {};
  std::uint64_t keep_alive_ns = 300'000'000;  // between keep-alives of a channel's end
  std::uint64_t silence_ns = 1'500'000'000;   // a peer that says nothing for so long is lost
  std::uint64_t start_ns = 10'000'000'000;    // the same before its first word, from when this end was opened
  // Of an end's rendezvous: how much of the program's memory is registered at once. What does not fit goes through
  // blocks. A provider may lower how much it keeps between uses (ofi/registration_cache.h).
  std::size_t registrations = 16;
  std::uint64_t registered_bytes = 1 << 30;
};

// What went over the wire since the transport was made, for tests and tools.
struct OfiCounters {
  std::uint64_t writes = 0;    // packets: fi_writedata
  std::uint64_t gathered = 0;  // packets whose block several channels write out, and ends of channels: fi_writemsg
  std::uint64_t injected = 0;  // credit lines and keep-alives, which libfabric copies
  std::uint64_t refused = 0;   // calls that libfabric asked to make again (FI_EAGAIN); in none of the above
  std::uint64_t arrived = 0;   // immediates from peers
  std::uint64_t strays = 0;    // immediates that name no segment of this process
  std::uint64_t messages = 0;  // that strangers sent, thrown away
  std::uint64_t errors = 0;    // writes that failed after libfabric had taken them
  std::uint64_t naps = 0;      // of the service thread (ofi/service.h)
  std::uint64_t ended_naps = 0;
};

// Owns one endpoint and one thread. Segments and ends keep both alive.
class OfiTransport : public Wire {
 public:
  [[nodiscard]] virtual OfiCounters counters() const = 0;
};

// kUnavailable with the reason: built without libfabric, no libfabric here, or no such provider. kExhausted: a
// limit on open files, threads or memory. kUnsupported: a
// provider that is known not to work. kInvalid: the interface is refused; the message says what was requested, what
// that was taken for, and what there is.
Result<std::unique_ptr<OfiTransport>> make_ofi_transport(const OfiOptions& options);

}  // namespace woa
