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
    case PeerLibrary::kUcx: return WOA_WHY_NOT_UCX;
    case PeerLibrary::kMpi: return WOA_WHY_NOT_MPI;
    case PeerLibrary::kZeroMq: return WOA_WHY_NOT_ZEROMQ;
    case PeerLibrary::kGrpc: return WOA_WHY_NOT_GRPC;
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

}  // namespace

std::string why_absent(const Peer& peer, const PeerFolder& folder) {
  if (const std::string reason = why_not_built(peer.library); !reason.empty()) return reason;
  if (const std::string path = path_of(peer, folder); !can_run(path))
    return "not installed: " + path + " is missing; build again";
  return peer.library == PeerLibrary::kMpi ? why_no_mpirun() : "";
}

Result<double> launch_peer(const Peer& peer, const PeerFolder& folder, const PeerLaunch& launch) {
  std::vector<std::string> command;
  // Two slots are named, since mpirun counts cores, of which two processors may have but one.
  if (peer.library == PeerLibrary::kMpi) command = {"mpirun", "--host", "localhost:2", "-np", "2", "--bind-to", "none"};
  if (peer.library == PeerLibrary::kMpi && ::geteuid() == 0) command.emplace_back("--allow-run-as-root");
  command.push_back(path_of(peer, folder));
  command.emplace_back(peer.way);
  command.insert(command.end(), launch.arguments.begin(), launch.arguments.end());
  const auto text = run_program(command, launch.limit);
  if (!text.ok()) return text.status();
  const double ns = std::strtod(text->c_str(), nullptr);
  if (ns > 0) return ns;
  return {Code::kDataLoss, path_of(peer, folder) + " printed no nanoseconds, but: " + *text};
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
  const auto ns = launch_peer(peer, folder,
                              {{job.shape, std::to_string(job.bytes), std::to_string(count), "0", "1"},
                               PeerLaunch{}.limit + patience(count, job.bytes)});
  if (!ns.ok()) return ns;
  return *ns / static_cast<double>(count);
}

}  // namespace woa::bench
