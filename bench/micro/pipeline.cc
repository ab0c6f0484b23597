#include "bench/micro/pipeline.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "bench/micro/blocking_pipeline.h"
#include "bench/micro/raw_fabric_job.h"
#include "bench/micro/raw_pipeline.h"
#include "bench/micro/start_over.h"
#include "runtime/call_models/call_model.h"
#include "runtime/measure/contest.h"
#include "runtime/measure/pinned_group.h"
#include "runtime/measure/plans.h"
#include "runtime/transport/loopback/loopback_transport.h"

namespace woa::bench {
namespace {

constexpr Peer kForwardingPeers[] = {{"libfabric writes, shm", PeerLibrary::kLibfabric, "peer_libfabric", "shm"},
                                     {"UCX active messages", PeerLibrary::kUcx, "peer_ucx", "am"},
                                     {"MPI_Isend", PeerLibrary::kMpi, "peer_mpi", "send"},
                                     {"MPI_Isend, copied twice", PeerLibrary::kMpi, "peer_mpi", "copied"},
                                     {"ZeroMQ push, ipc", PeerLibrary::kZeroMq, "peer_zeromq", "sockets", 8}};
constexpr Peer kHubPeers[] = {{"gRPC unary calls by a hub", PeerLibrary::kGrpc, "peer_grpc", "rpc", 8}};

// The parameters of one contest.
struct Case {
  std::uint64_t size;
  std::uint32_t window;
  PipelineCores cores;
  bool names_cores;
  std::uint64_t items;
  std::uint32_t workers;
  std::optional<std::uint32_t> beside;
  int nicer;
};

// ", window 1", then ", cores 0111" if the caller named cores, or ", 2 workers, beside 8 that are nicer by 19".
std::string in_words(const Case& at) {
  std::string text = ", window " + std::to_string(at.window);
  if (at.names_cores) text += ", cores ";
  for (std::size_t k = 0; at.names_cores && k < at.cores.size(); ++k) text += std::to_string(at.cores[k]);
  if (at.workers != PipelineOptions().workers) text += ", " + std::to_string(at.workers) + " workers";
  if (at.beside) text += ", beside " + std::to_string(*at.beside);
  if (at.nicer != 0) text += " that are nicer by " + std::to_string(at.nicer);
  return text;
}

std::uint64_t items_of(std::uint64_t size, std::uint64_t count) {
  constexpr std::uint64_t kMostBytes = 256 << 20, kFewest = 40, kMost = 20'000;
  return count != 0 ? count : std::clamp(kMostBytes / size, kFewest, kMost);
}

// Places the controllers, and chooses how they wait.
RunOptions place(RunOptions options, const Case& at) {
  if (at.beside) return options;  // as any run
  options.processors.resize(1);   // the host is this process
  for (std::size_t k = 1; k < at.cores.size(); ++k) options.processors.push_back({static_cast<int>(at.cores[k])});
  options.idle = IdleOptions{0, std::numeric_limits<std::uint32_t>::max()};  // all poll, and yield to each other
  return options;
}

// Microseconds per item of a run that lives for this launch alone.
Result<double> run_us(const RunOptions& placed, const std::string& provider, std::string_view model, const Case& at) {
  WOA_ASSIGN_OR_RETURN(auto plan, rewrite(touches(at.workers, at.size, at.window), model));
  WOA_ASSIGN_OR_RETURN(auto here, PinnedGroup::start({}, at.beside ? kAnyProcessor : at.cores[0]));
  bool wrong = false;
  const auto look = [&](const Completion& done) {
    const auto touched = std::byte(1 + at.workers);
    wrong = wrong || done.outputs.empty() || done.outputs[0].payload.front() != touched ||
            done.outputs[0].payload.back() != touched;
  };
  WOA_ASSIGN_OR_RETURN(auto driven, start_over(provider, std::move(plan), placed, look));
  const FillInput fill = ones(at.size);
  WOA_RETURN_IF_ERROR(driven.drive(std::min<std::uint64_t>(at.items, 4 * (at.window + 1)), fill).status());
  WOA_ASSIGN_OR_RETURN(auto ns, driven.drive(at.items, fill));
  WOA_RETURN_IF_ERROR(driven.finish().status());
  if (wrong) return {Code::kDataLoss, "an item came back without the changes of all workers"};
  return static_cast<double>(ns) / 1e3 / static_cast<double>(at.items);
}

Result<double> us_each(const Result<double>& ns, std::uint64_t items) {
  if (!ns.ok()) return ns;
  return *ns / 1e3 / static_cast<double>(items);
}

Contender ours(const RunOptions& options, const PipelineOptions& chosen, const char* model, const Case& at) {
  return {model, "ours", at.size,
          [=, &options, &chosen] { return run_us(place(options, at), chosen.provider, model, at); }};
}

Contender in_one_process(const RunOptions& options, const Case& at) {
  return {"woa, one process", "ours", at.size, [=, &options] {
            LoopbackTransport loopback;
            RunOptions placed = place(options, at);
            placed.transport = &loopback;
            placed.node_command.clear();
            return run_us(placed, "", "woa", at);
          }};
}

PeerJob job_of(const Case& at) {
  return {"pipeline", at.size, at.items, at.window, {at.cores.begin(), at.cores.end()}};
}

// Contenders follow the limits of their own route, for compare().
std::vector<Contender> over_memory(const RunOptions& options, const PipelineOptions& chosen, const Case& at) {
  const PeerJob job = job_of(at);
  const PeerFolder peers = peers_can_hold(job) ? chosen.peers : PeerFolder();
  const auto raw = [&](Route route, Carried carried, const char* name) {
    const RawPipeline pipeline{route, carried, at.size, at.window, at.cores};
    return Contender{name, "limit", at.size, [=] { return us_each(raw_pipeline_ns(pipeline, at.items), at.items); }};
  };
  const auto peer_us = [=](const Peer& peer) { return us_each(peer_ns_each(peer, peers, job), 1); };
  Contest contest;
  auto& contenders = contest.contenders;
  contenders = {raw(Route::kForward, Carried::kPayload, "raw forward, payload copied"),
                raw(Route::kForward, Carried::kIndex, "raw forward, index sent"), ours(options, chosen, "woa", at)};
  add_peers(contest, kForwardingPeers, peers, at.size, peer_us);
  contenders.insert(contenders.end(),
                    {raw(Route::kHub, Carried::kPayload, "raw hub, payload copied"),
                     raw(Route::kHub, Carried::kIndex, "raw hub, index sent"), ours(options, chosen, "rpc-hub", at)});
  add_peers(contest, kHubPeers, peers, at.size, peer_us);
  return contenders;
}

std::vector<Contender> over_wire(const RunOptions& options, const PipelineOptions& chosen, const Case& at) {
  const PeerArguments forward{
      "", PeerArguments::Shape::kPipeline, at.size, at.window, {0, at.items, {at.cores.begin(), at.cores.end()}}};
  const auto raw = [=, &chosen] { return us_each(raw_fabric_shape_ns(chosen.provider, forward), 1); };
  return {{"raw fi_writedata, forward", "limit", at.size, raw},
          ours(options, chosen, "woa", at),
          ours(options, chosen, "rpc-hub", at)};
}

std::vector<Contender> beside_others(const RunOptions& options, const PipelineOptions& chosen, const Case& at) {
  const bool shared = chosen.provider.empty();
  const BlockingPipeline plain{shared ? BlockingWay::kPipe : BlockingWay::kSocket, at.size, at.window, at.workers};
  std::vector<Contender> contenders{{shared ? "blocking pipes" : "TCP sockets", "limit", at.size,
                                     [=] { return us_each(blocking_pipeline_ns(plain, at.items), at.items); }}};
  if (shared) contenders.push_back(in_one_process(options, at));
  contenders.push_back(ours(options, chosen, "woa", at));
  contenders.push_back(ours(options, chosen, "rpc-hub", at));
  return contenders;
}

// Programs of others that want the processors: `count` child processes that only compute, until the group is destroyed,
// or this process ends in whatever way. `nicer` is added to the nice value of this process. Errors: as
// PinnedGroup::start().
Result<PinnedGroup> start_busy_loops(std::uint32_t count, int nicer) {
  const auto compute = [nicer]() -> int {
    [[maybe_unused]] const int nice = ::nice(nicer);
    for (volatile std::uint64_t number = 1;;) number = number * 3 + 1;
  };
  return PinnedGroup::start(std::vector<Member>(count, {kAnyProcessor, compute}), kAnyProcessor);
}

Contest contest_of(const RunOptions& options, const PipelineOptions& chosen, const Case& at) {
  const auto contenders = at.beside ? beside_others : chosen.provider.empty() ? over_memory : over_wire;
  Contest contest{"us/item", chosen.repetitions, "", contenders(options, chosen, at)};
  for (Contender& each : contest.contenders) each.name += in_words(at);
  return contest;
}

// Compares each row with the better of the two limits before it.
void compare(std::vector<Row>& rows) {
  double limit = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool another = k > 0 && rows[k - 1].role == "limit";
    if (rows[k].role == "limit")
      limit = another ? std::min(limit, rows[k].median()) : rows[k].median();
    else
      rows[k].ratio_to_limit = rows[k].median() / limit;
  }
}

std::vector<Case> cases_of(const PipelineOptions& chosen) {
  const bool named = chosen.cores != PipelineOptions().cores;
  std::vector<Case> cases;
  for (const PipelineCores& cores : chosen.cores)
    for (const std::uint64_t size : chosen.sizes)
      for (const std::uint32_t window : chosen.windows)
        cases.push_back(
            {size, window, cores, named, items_of(size, chosen.count), chosen.workers, chosen.beside, chosen.nicer});
  return cases;
}

// Fails now rather than after minutes of measuring.
Status check_cases(const std::vector<Case>& cases, bool shared) {
  for (const Case& at : cases) {
    PeerJob job = job_of(at);
    job.processors.resize(at.workers + 1);
    if (!at.beside) WOA_RETURN_IF_ERROR(check_processors(at.cores));
    if (!shared || at.beside) WOA_RETURN_IF_ERROR(check_held(job));
  }
  return {};
}

}  // namespace

Result<Report> bench_pipeline(const RunOptions& options, const PipelineOptions& chosen) {
  const bool shared = chosen.provider.empty(), with_peers = shared && !chosen.beside;
  Report report{"pipeline", shared ? std::string(options.transport->name()) : "ofi", Better::kLess};
  if (with_peers) name_absent(report, kForwardingPeers, chosen.peers), name_absent(report, kHubPeers, chosen.peers);
  const std::vector<Case> cases = cases_of(chosen);
  WOA_RETURN_IF_ERROR(check_cases(cases, shared));
  const auto others = start_busy_loops(chosen.beside.value_or(0), chosen.nicer);  // until all is measured
  if (!others.ok()) return others.status();
  HostProbe probe;
  for (const Case& at : cases) {
    WOA_ASSIGN_OR_RETURN(
        auto rows, run_contest(contest_of(options, chosen, at), [&] { return at.beside ? Status() : probe.look(); }));
    compare(rows);
    add_ratio(report, rows, "rpc-hub" + in_words(at), "woa" + in_words(at));
    std::ranges::move(rows, std::back_inserter(report.rows));
  }
  report.host_state = probe.state();
  return report;
}

}  // namespace woa::bench
