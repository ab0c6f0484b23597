#include "bench/micro/bandwidth.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <string>

#include "bench/micro/mailbox_stream.h"
#include "bench/micro/payload_stream.h"
#include "bench/micro/stream.h"
#include "runtime/base/free_memory.h"
#include "runtime/measure/contest.h"
#include "runtime/measure/memory.h"

namespace woa::bench {
namespace {

// A launch stays well under a second: long enough for the clock, too short for the host to change its mind.
constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;
constexpr std::uint64_t kMostMessages = 500'000;

constexpr std::uint64_t kMostPeerBytes = 256 << 20;
constexpr std::uint32_t kPeerPayloads = 8;  // that both processes of MPI have, more than others
constexpr Peer kPeers[] = {{"libfabric writes, shm", PeerLibrary::kLibfabric, "peer_libfabric", "shm"},
                           {"UCX active messages", PeerLibrary::kUcx, "peer_ucx", "am"},
                           {"UCX puts, one buffer", PeerLibrary::kUcx, "peer_ucx", "put"},
                           {"MPI_Isend", PeerLibrary::kMpi, "peer_mpi", "send"},
                           {"MPI_Isend, copied twice", PeerLibrary::kMpi, "peer_mpi", "copied"},
                           {"ZeroMQ pair, ipc", PeerLibrary::kZeroMq, "peer_zeromq", "sockets", 8},
                           {"gRPC client stream", PeerLibrary::kGrpc, "peer_grpc", "rpc", 8}};

std::uint64_t messages_of(std::uint64_t size, std::uint64_t count) {
  return count != 0 ? count : std::clamp<std::uint64_t>(kMostBytes / size, 1, kMostMessages);
}

// The source and the largest contender's memory (the consumer's slots, memcpy's target or the processes of a peer) must
// fit, with as much left for others.
Status check_memory(std::uint64_t size, std::uint32_t slots, bool peers) {
  const std::uint32_t payloads = 1 + (peers ? std::max(slots, kPeerPayloads) : slots);
  const std::size_t available = available_bytes();
  if (available == 0 || size <= available / 2 / payloads) return {};
  return {Code::kExhausted, std::to_string(payloads) + " payloads of " + std::to_string(size) +
                                " bytes need more than half of the " + std::to_string(available) +
                                " bytes of memory that are available; lower --size or --slots" +
                                (peers ? ", or leave out peers (--no-peers)" : "")};
}

// Copies with memcpy repeatedly into one buffer, beside a child that has nothing to do.
Result<double> copy_ns(std::span<const std::byte> payload, std::uint64_t messages) {
  WOA_ASSIGN_OR_RETURN(auto target, Memory::map(payload.size(), Memory::Sharing::kPrivate));
  const auto copy = [&](std::uint64_t times) {
    for (std::uint64_t k = 0; k < times; ++k) {
      std::memcpy(target.bytes().data(), payload.data(), payload.size());
      asm volatile("" ::"r"(target.bytes().data()) : "memory");  // somebody may read it
    }
    return true;
  };
  return stream_ns({copy, [](std::uint64_t) { return true; }}, 1, messages);
}

Contest contest_of(SharedMemory& transport, const BandwidthOptions& options, std::span<const std::byte> payload) {
  const std::uint64_t size = payload.size(), messages = messages_of(size, options.count);
  const double bytes = static_cast<double>(size) * static_cast<double>(messages);
  const MailboxSpec mailbox{options.slots, 1};
  return {"GB/s",
          options.repetitions,
          "raw mailbox",
          {{"memcpy", "limit", size, [=] { return per_ns(bytes, copy_ns(payload, messages)); }},
           {"raw mailbox", "limit", size, [=] { return per_ns(bytes, mailbox_stream_ns(mailbox, payload, messages)); }},
           {std::string(transport.name()) + " transport", "ours", size, [=, &transport, slots = options.slots] {
              return per_ns(bytes, payload_stream_ns(transport, slots, payload, messages));
            }}}};
}

}  // namespace

Result<Report> bench_bandwidth(SharedMemory& transport, const BandwidthOptions& options) {
  Report report{"bandwidth", std::string(transport.name()), Better::kMore};
  name_absent(report, kPeers, options.peers);
  HostProbe probe;
  for (const std::uint64_t size : options.sizes) {
    const bool peers = size <= kMostPeerBytes && !options.peers.empty() && report.absent.size() < std::size(kPeers);
    WOA_RETURN_IF_ERROR(check_memory(size, options.slots, peers));
    WOA_ASSIGN_OR_RETURN(auto source, Memory::map(size, Memory::Sharing::kPrivate));
    std::memset(source.bytes().data(), 1, size);
    Contest contest = contest_of(transport, options, source.bytes());
    if (peers) {
      add_peers(contest, kPeers, options.peers, size, [&, size](const Peer& peer) {
        const PeerJob job{"stream", size, messages_of(size, options.count), stream_window(size)};
        return per_ns(static_cast<double>(size), peer_ns_each(peer, options.peers, job));
      });
    }
    WOA_RETURN_IF_ERROR(run_contest(contest, probe, report).status());
  }
  return report;
}

}  // namespace woa::bench
