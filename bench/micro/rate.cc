#include "bench/micro/rate.h"

#include <array>
#include <span>
#include <string>

#include "bench/micro/mailbox_stream.h"
#include "bench/micro/packet_stream.h"
#include "runtime/measure/contest.h"

namespace woa::bench {
namespace {

constexpr std::array<std::byte, 8> kWord{};
constexpr const char *kActivate = ", activate", *kInlined = ", activate, inline";
constexpr std::uint32_t kSmallRing = 64, kLargeRing = 1024;

constexpr const char* kActiveMessages = "UCX active messages";
constexpr const char* kSends = "MPI_Isend";
constexpr Peer kPeers[] = {{"libfabric writes, shm", PeerLibrary::kLibfabric, "peer_libfabric", "shm"},
                           {kActiveMessages, PeerLibrary::kUcx, "peer_ucx", "am"},
                           {"UCX puts", PeerLibrary::kUcx, "peer_ucx", "put"},
                           {kSends, PeerLibrary::kMpi, "peer_mpi", "send"},
                           {"ZeroMQ pair, ipc", PeerLibrary::kZeroMq, "peer_zeromq", "sockets"}};

std::string ours(const SharedMemory& transport, std::uint32_t slots) {
  return std::string(transport.name()) + " transport, " + std::to_string(slots) + " slots";
}

const char* name_of(std::uint64_t size) { return size == 0 ? kActivate : kInlined; }

// A header with an inline payload, or for 0 one that names a block, which does not exist: no consumer reads it.
ActivationPacket activation(std::uint64_t inline_bytes) {
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  if (inline_bytes > 0)
    header.flags = kInline, header.payload_bytes = inline_bytes;
  else
    header.device = static_cast<std::uint8_t>(MemoryKind::kCpu), header.payload_bytes = kOffsetUnitBytes;
  return header;
}

ActivationPacket retirement() {
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kRetire);
  return header;
}

Contest contest_of(SharedMemory& transport, const RateOptions& options, std::uint32_t slots,
                   std::span<const std::byte> inline_payload) {
  const std::uint64_t size = inline_payload.size(), messages = options.count;
  const auto rate = [=](const Result<double>& ns) {  // a message per nanosecond is 1,000 million a second
    return per_ns(static_cast<double>(messages) * 1e3, ns);
  };
  const std::string of_slots = ", " + std::to_string(slots) + " slots", bytes = "raw mailbox" + of_slots;
  const std::string lines = "raw mailbox of lines" + of_slots;
  const MailboxSpec mailbox{slots, slots / 4};
  const auto payload = size == 0 ? std::span<const std::byte>(kWord) : inline_payload;
  const auto packets = [=, &transport](const ActivationPacket& header) {
    return [=, &transport] { return rate(packet_stream_ns(transport, slots, header, inline_payload, messages)); };
  };
  Contest contest{"Mmsg/s", options.repetitions, size == 0 ? lines : bytes, {}};
  contest.contenders = {
      {bytes, "limit", payload.size(), [=] { return rate(mailbox_stream_ns(mailbox, payload, messages)); }}};
  if (size != 0) {
    contest.contenders.push_back({ours(transport, slots) + kInlined, "ours", size, packets(activation(size))});
    return contest;
  }
  contest.contenders.push_back({lines, "limit", kPacketBytes, [=] { return rate(line_stream_ns(mailbox, messages)); }});
  contest.contenders.push_back({ours(transport, slots) + kActivate, "ours", kPacketBytes, packets(activation(0))});
  contest.contenders.push_back({ours(transport, slots) + ", retire", "ours", kPacketBytes, packets(retirement())});
  return contest;
}

// A peer of headers sends 8 bytes: its limit is the row of as many, which comes first.
void compare_peers(std::span<Row> rows) {
  for (Row& row : rows) {
    if (row.role == "peer") row.ratio_to_limit = row.median() / rows.front().median();
  }
}

// Measures one size, with both rings.
Status measure(SharedMemory& transport, const RateOptions& options, std::uint64_t size, HostProbe& probe,
               Report& report) {
  const std::vector<std::byte> payload(size, std::byte{1});
  const std::uint64_t peer_bytes = size == 0 ? kWord.size() : size;
  for (const std::uint32_t slots : {kSmallRing, kLargeRing}) {
    Contest contest = contest_of(transport, options, slots, payload);
    if (slots == kLargeRing)
      add_peers(contest, kPeers, options.peers, peer_bytes, [&](const Peer& peer) {
        const PeerJob job{"stream", peer_bytes, options.count, stream_window(peer_bytes)};
        return per_ns(1e3, peer_ns_each(peer, options.peers, job));
      });
    WOA_ASSIGN_OR_RETURN(const auto rows, run_contest(contest, probe, report));
    compare_peers(rows);
    for (const char* peer : {kActiveMessages, kSends})
      add_ratio(report, rows, ours(transport, slots) + name_of(size), peer);
  }
  return {};
}

}  // namespace

Result<Report> bench_rate(SharedMemory& transport, const RateOptions& options) {
  constexpr std::uint64_t kMessages = 2'000'000;
  RateOptions chosen = options;
  if (chosen.count == 0) chosen.count = kMessages;
  Report report{"rate", std::string(transport.name()), Better::kMore};
  HostProbe probe;
  name_absent(report, kPeers, chosen.peers);
  for (const std::uint64_t size : chosen.sizes) WOA_RETURN_IF_ERROR(measure(transport, chosen, size, probe, report));
  return report;
}

}  // namespace woa::bench
