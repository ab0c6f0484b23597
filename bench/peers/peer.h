// Libraries that users know and that do the same job, each in a program of its own (the other files of this folder), so
// that we neither load nor link them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/measure/contest.h"

namespace woa::bench {

using namespace measure;

enum class PeerLibrary : std::uint8_t { kLibfabric, kUcx, kMpi, kZeroMq, kGrpc, kTaskflow, kTbb };

struct Peer {
  const char* contender;
  PeerLibrary library;
  const char* program;
  const char* way;                // first argument of the program
  std::uint64_t fewer_times = 1;  // how many times fewer messages it sends than others, because each takes long
};

// A launch of a program that prints nanoseconds.
struct PeerLaunch {
  std::vector<std::string> arguments;  // after the way
  std::chrono::milliseconds limit{60'000};
  std::size_t processes = 2;  // started by mpirun
};

// Folder of the programs; empty: no peer takes part, and none is reported absent.
using PeerFolder = std::string;

// Why `peer` cannot take part, and what to install; empty: it can.
std::string why_absent(const Peer& peer, const PeerFolder& folder);

// The nanoseconds that the program prints. kDataLoss: it prints something else. Otherwise as run_program().
Result<double> launch_peer(const Peer& peer, const PeerFolder& folder, const PeerLaunch& launch);

// Reports as absent the peers that cannot take part.
void name_absent(Report& report, std::span<const Peer> peers, const PeerFolder& folder);

// Adds the peers that can take part to the contest, at `size`. `launch` gives a peer's figure.
void add_peers(Contest& contest, std::span<const Peer> peers, const PeerFolder& folder, std::uint64_t size,
               const std::function<Result<double>(const Peer&)>& launch);

// A job for the processes of a peer (peer_program.h).
struct PeerJob {
  const char* shape;  // "hop", "stream", "pipeline" or "fanout"
  std::uint64_t bytes = 0, count = 0;
  std::uint64_t window = 1;
  std::vector<std::size_t> processors{0, 1};
};
// Nanoseconds for each of `count`.
Result<double> peer_ns_each(const Peer& peer, const PeerFolder& folder, const PeerJob& job);

// False if the processes of a pipeline or a fan-out would hold more than 2 GiB of payloads; peers then take no part.
bool peers_can_hold(const PeerJob& job);
// kExhausted if peers_can_hold() is false, for a limit that is such a process.
Status check_held(const PeerJob& job);

// Messages of a stream under way.
constexpr std::uint64_t stream_window(std::uint64_t bytes) { return bytes > (64 << 10) ? 4 : 64; }

}  // namespace woa::bench
