#include "bench/micro/rate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "bench/harness/contest.h"
#include "bench/micro/header_stream.h"
#include "bench/micro/host_probe.h"
#include "bench/micro/mailbox_stream.h"

namespace woa::bench {
namespace {

constexpr std::array<std::byte, 8> kWord{};
constexpr const char* kActivate = ", activate";
constexpr std::uint32_t kSmallRing = 64, kLargeRing = 1024;

constexpr const char* kActiveMessages = "UCX active messages";
constexpr const char* kSends = "MPI_Isend";
constexpr Peer kPeers[] = {{"libfabric writes, shm", PeerLibrary::kLibfabric, "peer_libfabric", "shm"},
                           {kActiveMessages, PeerLibrary::kUcx, "peer_ucx", "am"},
                           {"UCX puts", PeerLibrary::kUcx, "peer_ucx", "put"},
                           {kSends, PeerLibrary::kMpi, "peer_mpi", "send"},
                           {"ZeroMQ pair, ipc", PeerLibrary::kZeroMq, "peer_zeromq", "sockets"}};

std::string ours(const Transport& transport, std::uint32_t slots) {
  return std::string(transport.name()) + " transport, " + std::to_string(slots) + " slots";
}

// Names a block, as an activation does; there is none, and nobody looks for it.
ActivationPacket activation() {
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  header.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  header.payload_bytes = kOffsetUnitBytes;
  return header;
}

ActivationPacket retirement() {
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kRetire);
  return header;
}

Contest contest_of(Transport& transport, std::uint32_t slots, std::uint64_t messages, std::uint64_t repetitions) {
  const double thousands = static_cast<double>(messages) * 1e3;  // a message per nanosecond is 1,000 million a second
  const std::string limit = "raw mailbox, " + std::to_string(slots) + " slots";
  const MailboxSpec mailbox{slots, slots / 4};
  const auto headers = [=, &transport](const ActivationPacket& header) {
    return [=, &transport] { return per_ns(thousands, header_stream_ns(transport, slots, header, messages)); };
  };
  return {
      "Mmsg/s",
      repetitions,
      limit,
      {{limit, "limit", kWord.size(), [=] { return per_ns(thousands, mailbox_stream_ns(mailbox, kWord, messages)); }},
       {ours(transport, slots) + kActivate, "ours", kPacketBytes, headers(activation())},
       {ours(transport, slots) + ", retire", "ours", kPacketBytes, headers(retirement())}}};
}

}  // namespace

Result<Report> bench_rate(Transport& transport, std::uint64_t messages, std::uint64_t repetitions,
                          const PeerFolder& peers) {
  constexpr std::uint64_t kHeaders = 2'000'000;
  if (messages == 0) messages = kHeaders;
  Report report{"rate", std::string(transport.name()), Better::kMore, "", {}};
  HostProbe probe;
  name_absent(report, kPeers, peers);
  for (const std::uint32_t slots : {kSmallRing, kLargeRing}) {
    Contest contest = contest_of(transport, slots, messages, repetitions);
    if (slots == kLargeRing)
      add_peers(contest, kPeers, peers, kWord.size(), [&](const Peer& peer) {
        return per_ns(1e3, peer_ns_each(peer, peers, {"stream", kWord.size(), messages, stream_window(kWord.size())}));
      });
    auto rows = run_contest(contest, [&] { return probe.look(); });
    if (!rows.ok()) return rows.status();
    for (const char* peer : {kActiveMessages, kSends})
      add_ratio(report, *rows, ours(transport, slots) + kActivate, peer);
    std::ranges::move(*rows, std::back_inserter(report.rows));
  }
  report.host_state = probe.state();
  return report;
}

}  // namespace woa::bench
