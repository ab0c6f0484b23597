#include "bench/micro/fabric.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "bench/micro/one_thread_hop.h"
#include "bench/micro/transport_hop.h"
#include "runtime/base/clock.h"
#include "runtime/measure/contest.h"
#include "runtime/measure/driven_run.h"
#include "runtime/measure/plans.h"
#include "runtime/measure/raw_mailbox.h"

namespace woa::bench {
namespace {

constexpr std::uint32_t kWindow = 64;

// The last two sleep while they wait.
constexpr Peer kHopPeers[] = {{"libfabric writes, shm", PeerLibrary::kLibfabric, "peer_libfabric", "shm"},
                              {"UCX active message", PeerLibrary::kUcx, "peer_ucx", "am"},
                              {"UCX put", PeerLibrary::kUcx, "peer_ucx", "put"},
                              {"MPI_Send", PeerLibrary::kMpi, "peer_mpi", "send"},
                              {"ZeroMQ pair, ipc", PeerLibrary::kZeroMq, "peer_zeromq", "sockets", 20},
                              {"gRPC unary call, half of it", PeerLibrary::kGrpc, "peer_grpc", "rpc", 20}};

FillInput token(std::uint64_t counter, std::uint64_t bytes) {
  return [counter, bytes](std::uint32_t, std::span<std::byte> room) {
    std::memcpy(room.data(), &counter, sizeof counter);
    return Result<std::uint64_t>(bytes);
  };
}

Result<DrivenRun> start_pinned(Plan plan, RunOptions options) {
  options.processors = {{}, {0}, {1}};
  options.idle = IdleOptions{};  // two pinned loops and a host that sleeps: spinning hurts nobody
  return DrivenRun::start(std::move(plan), std::move(options));
}

std::vector<std::string> process_folders() {
  std::vector<std::string> folders{"/proc/self"};
  std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  for (std::string pid; file >> pid;) folders.push_back("/proc/" + pid);
  return folders;
}

// Proportional set size of this process and its nodes.
Result<double> pss_kib() {
  double sum = 0;
  for (const std::string& folder : process_folders()) {
    std::ifstream file(folder + "/smaps_rollup");
    double value = -1;
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("Pss:", 0) == 0) std::istringstream(line.substr(4)) >> value;
    }
    if (value < 0) return {Code::kUnavailable, folder + "/smaps_rollup cannot be read"};
    sum += value;
  }
  return sum;
}

double children_cpu_s() {
  double ticks = 0;
  for (const std::string& folder : process_folders()) {
    std::ifstream file(folder + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string field;
    for (int k = 3; fields >> field; ++k) {
      if (k == 14 || k == 15) ticks += std::stod(field);  // user, system
    }
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

Contest hop_contest(const RunOptions& options, const HopOptions& chosen, std::uint64_t size, DrivenRun& driven) {
  const std::uint64_t hops = chosen.count, round_trips = (hops + 1) / 2;
  const auto controllers = [&driven, hops, size]() -> Result<double> {
    WOA_ASSIGN_OR_RETURN(const auto ns, driven.drive(1, token(hops, size)));
    return static_cast<double>(ns) / static_cast<double>(hops);
  };
  const auto transport = [&options, size, round_trips](bool header_crc) {
    return [=, &options] { return transport_hop_ns(*options.transport, size, header_crc, round_trips); };
  };
  Contest contest{"ns",
                  chosen.repetitions,
                  "raw mailbox",
                  {{"raw mailbox", "limit", size, [=] { return raw_mailbox_ns(size, round_trips); }},
                   {"transport alone, inline", "ours", size, transport(false)},
                   {"the same with header CRC", "ours", size, transport(true)},
                   {"controllers alone, one thread", "ours", size,
                    [=, &options] { return one_thread_hop_ns(options, size, hops); }},
                   {"controller to controller", "ours", size, controllers}}};
  add_peers(contest, kHopPeers, chosen.peers, size, [=, &chosen](const Peer& peer) -> Result<double> {
    const auto ns = peer_ns_each(peer, chosen.peers, {"hop", size, round_trips});
    if (!ns.ok()) return ns;
    return *ns / 2;
  });
  return contest;
}

}  // namespace

Result<Report> bench_hop(const RunOptions& options, const HopOptions& chosen) {
  Report report{"hop", std::string(options.transport->name()), Better::kLess};
  name_absent(report, kHopPeers, chosen.peers);
  HostProbe probe;
  for (const std::uint64_t size : chosen.sizes) {
    WOA_ASSIGN_OR_RETURN(auto driven, start_pinned(ping_pong(1, size, static_cast<std::uint32_t>(size)), options));
    WOA_RETURN_IF_ERROR(run_contest(hop_contest(options, chosen, size, driven), probe, report).status());
    WOA_RETURN_IF_ERROR(driven.finish().status());
  }
  return report;
}

Result<Report> bench_busy(const RunOptions& options, std::uint64_t packets, std::uint64_t repetitions) {
  WOA_ASSIGN_OR_RETURN(auto driven, start_pinned(ping_pong(kWindow), options));
  Report report{"busy",
                std::string(options.transport->name()),
                Better::kMore,
                "n/a",
                {{"controller to controller, 64 tokens", "ours", kToken, "Mpackets/s", {}, 0}}};
  for (std::uint64_t r = 0; r < repetitions; ++r) {
    WOA_ASSIGN_OR_RETURN(auto ns, driven.drive(kWindow, token(packets / kWindow, kToken)));
    report.rows[0].samples.push_back(static_cast<double>(packets) * 1e3 / static_cast<double>(ns));
  }
  WOA_RETURN_IF_ERROR(driven.finish().status());
  return report;
}

Result<Report> bench_idle(const RunOptions& options, double seconds) {
  WOA_ASSIGN_OR_RETURN(auto driven, DrivenRun::start(copies(2, kToken, 4), options));
  const std::uint64_t begin = now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // start-up is not idling
  const double before = children_cpu_s();
  const std::uint64_t start_ns = now_ns();
  while (static_cast<double>(now_ns() - begin) < seconds * 1e9) {
    if (driven.run().do_work() == 0) driven.run().wait();
  }
  const double share = (children_cpu_s() - before) / (static_cast<double>(now_ns() - start_ns) / 1e9) * 100;
  WOA_RETURN_IF_ERROR(driven.finish().status());
  return Report{"idle",
                std::string(options.transport->name()),
                Better::kLess,
                "n/a",
                {{"host and two controllers", "ours", 0, "% of a core", {share}, 0}}};
}

Result<Report> bench_memory(const RunOptions& options, std::uint64_t instances) {
  constexpr std::uint64_t kBytes = 64 * 1024, kWarm = 1000;
  if (instances <= kWarm)
    return {Code::kInvalid, "more than 1,000 instances are needed: memory is compared with that after the first 1,000"};
  WOA_ASSIGN_OR_RETURN(auto driven, DrivenRun::start(copies(3, kBytes, 6), options));
  WOA_RETURN_IF_ERROR(driven.drive(kWarm, token(0, kBytes)).status());
  auto before = pss_kib();
  WOA_RETURN_IF_ERROR(driven.drive(instances - kWarm, token(0, kBytes)).status());
  auto after = pss_kib();
  if (!before.ok()) return before.status();
  if (!after.ok()) return after.status();
  WOA_RETURN_IF_ERROR(driven.finish().status());
  return Report{"memory",
                std::string(options.transport->name()),
                Better::kLess,
                "n/a",
                {{"PSS after 1,000 instances", "ours", kBytes, "KiB", {*before}, 0},
                 {"growth until the last", "ours", kBytes, "KiB", {*after - *before}, 0}}};
}

}  // namespace woa::bench
