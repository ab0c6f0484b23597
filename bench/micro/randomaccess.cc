#include "bench/micro/randomaccess.h"

#include <bit>
#include <string>

#include "bench/micro/packet_stream.h"
#include "bench/micro/random_limits.h"
#include "bench/micro/random_updates.h"
#include "runtime/measure/contest.h"
#include "runtime/messaging/onesided/link.h"

namespace woa::bench {
namespace {

constexpr const char* kRawBuckets = "raw buckets";
constexpr const char* kHeaders = "headers alone";
constexpr const char* kNaive = "naive";
constexpr const char* kAggregated = "aggregated";
constexpr const char* kMpiNaive = "MPI_Accumulate";

constexpr Peer kPeers[] = {{kMpiNaive, PeerLibrary::kMpi, "randomaccess_mpi", "accumulate"},
                           {"MPI_Accumulate, datatypes", PeerLibrary::kMpi, "randomaccess_mpi", "datatypes"},
                           {"MPI_Fetch_and_op", PeerLibrary::kMpi, "randomaccess_mpi", "fetch"}};

// The header of a naive update.
ActivationPacket update_header() {
  ActivationPacket header = onesided::packet_to(onesided::kUpdatePort);
  header.payload_bytes = sizeof(std::uint64_t);
  return header;
}

// A launch of its updates, with time for the check that repeats them in each process.
PeerLaunch launch_of(const RandomTable& table) {
  constexpr std::uint64_t kPatience_us = 10;  // for an update
  const auto updating = std::chrono::milliseconds(table.updates() * kPatience_us / 1000);
  return {{std::to_string(table.words)}, PeerLaunch{}.limit + updating};
}

Contest contest_of(SharedMemory& transport, const RandomAccessOptions& options, std::uint64_t size) {
  const RandomTable table{size / sizeof(std::uint64_t)};
  const auto updates = static_cast<double>(table.updates());
  const std::uint64_t messages = table.updates() / 2;  // as many as naive updates send in both directions
  return {
      "GUP/s",
      options.repetitions,
      kRawBuckets,
      {{"local, one process", "limit", size, [=] { return per_ns(updates, local_updates_ns(table)); }},
       {kRawBuckets, "limit", size, [=] { return per_ns(updates, raw_buckets_ns(table)); }},
       {kHeaders, "limit", size,
        [=, &transport] {
          const auto ns = packet_stream_ns(transport, kNaiveRingSlots, update_header(), {}, messages);
          return per_ns(static_cast<double>(messages), ns);
        }},
       {kNaive, "ours", size, [=, &transport] { return per_ns(updates, naive_updates_ns(transport, table)); }},
       {kAggregated, "ours", size,
        [=, &transport] { return per_ns(updates, aggregated_updates_ns(transport, table)); }},
       {"hardware", "ours", size, [=, &transport] { return per_ns(updates, hardware_updates_ns(transport, table)); }}}};
}

}  // namespace

Status check_table_size(std::uint64_t size) {
  if (std::has_single_bit(size) && size >= RandomTable::kProcesses * 2 * sizeof(std::uint64_t)) return {};
  return {Code::kInvalid,
          "a table of " + std::to_string(size) + " bytes; the rules ask for a power of two: choose another --size"};
}

Result<Report> bench_randomaccess(SharedMemory& transport, const RandomAccessOptions& options) {
  Report report{"randomaccess", std::string(transport.name()), Better::kMore};
  name_absent(report, kPeers, options.peers);
  HostProbe probe;
  for (const std::uint64_t size : options.sizes) {
    WOA_RETURN_IF_ERROR(check_table_size(size));
    Contest contest = contest_of(transport, options, size);
    const RandomTable table{size / sizeof(std::uint64_t)};
    add_peers(contest, kPeers, options.peers, size, [=, &options](const Peer& peer) {
      return per_ns(static_cast<double>(table.updates()), launch_peer(peer, options.peers, launch_of(table)));
    });
    WOA_ASSIGN_OR_RETURN(const auto rows, run_contest(contest, probe, report));
    add_ratio(report, rows, kAggregated, kNaive);
    add_ratio(report, rows, kAggregated, kMpiNaive);
    add_ratio(report, rows, kAggregated, kRawBuckets);
    add_ratio(report, rows, kNaive, kHeaders);
  }
  return report;
}

}  // namespace woa::bench
