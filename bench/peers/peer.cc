#include "bench/peers/peer.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "bench/harness/patience.h"
#include "bench/harness/program.h"

namespace woa::bench {
namespace {

// Why there is no program of the library, as the configuration found; empty: it was built.
const char* why_not_built(PeerLibrary library) {
  switch (library) {
    case PeerLibrary::kLibfabric: return WOA_WHY_NOT_OFI;
    case PeerLibrary::kUcx: return WOA_WHY_NOT_UCX;
    case PeerLibrary::kMpi: return WOA_WHY_NOT_MPI;
    case PeerLibrary::kZeroMq: return WOA_WHY_NOT_ZEROMQ;
    case PeerLibrary::kGrpc: return WOA_WHY_NOT_GRPC;
    case PeerLibrary::kTaskflow: return WOA_WHY_NOT_TASKFLOW;
    case PeerLibrary::kTbb: return WOA_WHY_NOT_TBB;
  }
  return "";
}

std::string path_of(const Peer& peer, const PeerFolder& folder) { return folder + "/" + peer.program; }

// Why there is no launcher whose options launch_peer() knows; empty: there is.
std::string why_no_mpirun() {
  constexpr std::chrono::seconds kPatience{10};
  if (!can_run("mpirun")) return "not installed: mpirun is not on the PATH (Debian: openmpi-bin)";
  const auto version = run_program({"mpirun", "--version"}, kPatience);
  if (!version.ok()) return "not found: the version of mpirun: " + version.status().message();
  if (version->find("Open MPI") != std::string::npos) return "";
  return "not installed: mpirun on the PATH is not that of Open MPI (Debian: openmpi-bin)";
}

// Why libfabric, which is loaded when it is needed, cannot serve here though its headers were there; empty: it can.
std::string why_no_libfabric(const std::string& path, const char* way) {
  constexpr std::chrono::seconds kPatience{10};
  const auto hop = run_program({path, way, "hop", "8", "1", "1", "0", "1"}, kPatience);
  return hop.ok() ? "" : "not found: a libfabric that can: " + hop.status().message();
}

}  // namespace

std::string why_absent(const Peer& peer, const PeerFolder& folder) {
  if (const std::string reason = why_not_built(peer.library); !reason.empty()) return reason;
  if (const std::string path = path_of(peer, folder); !can_run(path))
    return "not installed: " + path + " is missing; build again";
  if (peer.library == PeerLibrary::kLibfabric) {
    static const std::string reason = why_no_libfabric(path_of(peer, folder), peer.way);
    return reason;
  }
  return peer.library == PeerLibrary::kMpi ? why_no_mpirun() : "";
}

Result<double> launch_peer(const Peer& peer, const PeerFolder& folder, const PeerLaunch& launch) {
  std::vector<std::string> command;
  // Slots are named, since mpirun counts cores, and two processors may share one core.
  const std::string processes = std::to_string(launch.processes);
  if (peer.library == PeerLibrary::kMpi)
    command = {"mpirun", "--host", "localhost:" + processes, "-np", processes, "--bind-to", "none"};
  if (peer.library == PeerLibrary::kMpi && ::geteuid() == 0) command.emplace_back("--allow-run-as-root");
  command.push_back(path_of(peer, folder));
  command.emplace_back(peer.way);
  command.insert(command.end(), launch.arguments.begin(), launch.arguments.end());
  WOA_ASSIGN_OR_RETURN(const auto text, run_program(command, launch.limit));
  const double ns = std::strtod(text.c_str(), nullptr);
  if (ns > 0) return ns;
  return {Code::kDataLoss, path_of(peer, folder) + " printed no nanoseconds, but: " + text};
}

void name_absent(Report& report, std::span<const Peer> peers, const PeerFolder& folder) {
  if (folder.empty()) return;
  for (const Peer& peer : peers)
    if (const std::string reason = why_absent(peer, folder); !reason.empty())
      report.absent.push_back({peer.contender, reason});
}

void add_peers(Contest& contest, std::span<const Peer> peers, const PeerFolder& folder, std::uint64_t size,
               const std::function<Result<double>(const Peer&)>& launch) {
  if (folder.empty()) return;
  for (const Peer& peer : peers)
    if (why_absent(peer, folder).empty())
      contest.contenders.push_back({peer.contender, "peer", size, [&peer, launch] { return launch(peer); }});
}

Result<double> peer_ns_each(const Peer& peer, const PeerFolder& folder, const PeerJob& job) {
  const std::uint64_t count = std::max<std::uint64_t>(1, job.count / peer.fewer_times);
  PeerLaunch launch{{job.shape, std::to_string(job.bytes), std::to_string(job.window), std::to_string(count)}};
  for (const std::size_t processor : job.processors) launch.arguments.push_back(std::to_string(processor));
  launch.processes = job.processors.size();
  launch.limit += patience(count * (launch.processes - 1), job.bytes);
  const auto ns = launch_peer(peer, folder, launch);
  if (!ns.ok()) return ns;
  return *ns / static_cast<double>(count);
}

bool peers_can_hold(const PeerJob& job) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;
  return job.bytes <= kMostBytes / (job.window + 1) / job.processors.size();
}

Status check_held(const PeerJob& job) {
  if (peers_can_hold(job)) return {};
  return {Code::kExhausted, std::to_string(job.processors.size()) + " processes of the limit would hold " +
                                std::to_string(job.window + 1) + " payloads of " + std::to_string(job.bytes) +
                                " bytes each, more than 2 GiB in all; choose a smaller --size, or fewer of them"};
}

}  // namespace woa::bench
