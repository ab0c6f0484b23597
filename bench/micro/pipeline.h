// Three workers in a row: our runtime under both call models, beside raw mailboxes on the same two processors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/micro/raw_pipeline.h"
#include "bench/peers/peer.h"
#include "runtime/measure/report.h"
#include "runtime/node/run.h"

namespace woa::bench {

struct PipelineOptions {
  std::vector<std::uint64_t> sizes{64, 64 << 10, 4 << 20};  // bytes of an item, each at least 2
  std::vector<std::uint32_t> windows{1, 8};                 // items under way at most, each 1 to kMaxWindow
  std::vector<PipelineCores> cores{{0, 1, 0, 1}};           // of source and sink, and of each worker
  std::uint64_t count = 0;                                  // items per launch; 0: as many as take some 100 ms
  std::uint64_t repetitions = 11;
  PeerFolder peers = {};
  std::string provider{};  // of libfabric, between all controllers; empty: shared memory
  // Runs that wait as any run does, on processors that the system chooses, beside as many busy loops of other programs
  // (0: alone), whose nice value is higher by `nicer`.
  std::optional<std::uint32_t> beside{};
  int nicer = 0;
  std::uint32_t workers = 3;  // in a row; other numbers only with `beside`
};

// Microseconds per item. Source and sink are this process; four processes poll and yield.
// `woa` is compared with the better of the raw pipelines that forward, `rpc-hub` with the better of those by a hub. The
// report also has the ratio of the two, which means something if both come as close to their limits. Peers are compared
// by their own route, unless peers_can_hold() is false. Rows name the cores where they are not the usual ones; the
// host's state is that of processors 0 and 1. Over libfabric both are compared with raw fi_writedata that forwards, and
// nodes are started with the same provider; peers take no part.
//
// With `beside` all are compared with blocking_pipeline_ns(): pipes, or sockets over libfabric. `woa, one process` has
// a thread for each controller, as `woa run --processes one`; libfabric has none of that. Nothing is pinned, peers and
// raw mailboxes take no part, and nobody looks at the host's state: what polls would wait for a turn of the scheduler.
Result<Report> bench_pipeline(const RunOptions& options, const PipelineOptions& chosen);

}  // namespace woa::bench
