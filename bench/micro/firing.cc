#include "bench/micro/firing.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "bench/micro/direct_calls.h"
#include "bench/micro/raw_loop.h"
#include "runtime/measure/contest.h"
#include "runtime/measure/driven_run.h"
#include "runtime/measure/task_graph.h"
#include "runtime/transport/loopback/loopback_transport.h"

namespace woa::bench {
namespace {

constexpr Peer kTaskPeers[] = {{"Taskflow", PeerLibrary::kTaskflow, "peer_taskflow", "tasks"},
                               {"oneTBB flow graph", PeerLibrary::kTbb, "peer_tbb", "tasks"}};

Result<std::uint64_t> drive(DrivenRun& run, const LoopJob& job) {
  return run.drive(1, [&job](std::uint32_t input, std::span<std::byte> room) {
    const std::vector<std::byte>& bytes = job.inputs[input];
    std::memcpy(room.data(), bytes.data(), bytes.size());
    return Result<std::uint64_t>(bytes.size());
  });
}

// A loop, its kernels, and the time that they took last when called directly.
struct Subject {
  LoopJob job;
  KernelLibraries kernels;
  std::uint64_t firings = 0;
  double kernels_ns = 0;  // a firing
};

// The kernels' part hardly varies: the least of several passes is what no other work disturbed.
Result<double> time_kernels(Subject& subject) {
  constexpr int kPasses = 3;
  for (int pass = 0; pass < kPasses; ++pass) {
    WOA_ASSIGN_OR_RETURN(const auto done, call_directly(subject.job, subject.kernels));
    subject.firings = done.firings;
    const double ns = static_cast<double>(done.ns) / static_cast<double>(done.firings);
    subject.kernels_ns = pass == 0 ? ns : std::min(ns, subject.kernels_ns);
  }
  return subject.kernels_ns;
}

Result<double> above_kernels(const Subject& subject, const Result<std::uint64_t>& ns) {
  if (!ns.ok()) return ns.status();
  return static_cast<double>(*ns) / static_cast<double>(subject.firings) - subject.kernels_ns;
}

Contest contest_of(const RunOptions& options, const FiringOptions& chosen, const std::shared_ptr<Subject>& subject) {
  const std::string &loop = subject->job.name, limit = loop + ", raw loop";
  const std::uint64_t stages = subject->job.plan.stages.size() - 2;
  Contest contest{"ns", chosen.repetitions, limit, {}};
  contest.contenders = {{loop + ", kernels alone", "limit", stages, [subject] { return time_kernels(*subject); }},
                        {limit, "limit", stages,
                         [subject] { return above_kernels(*subject, raw_loop_ns(subject->job, subject->kernels)); }},
                        {loop + ", controller", "ours", stages, [subject, &options] {
                           return above_kernels(*subject, controller_loop_ns(options, subject->job));
                         }}};
  if (!task_graph(loop)) return contest;
  Contest peers;
  add_peers(peers, kTaskPeers, chosen.peers, stages, [=, &chosen](const Peer& peer) -> Result<double> {
    const std::uint64_t turns = std::max<std::uint64_t>(1, chosen.count / stages);
    const auto ns = launch_peer(peer, chosen.peers, {{loop, std::to_string(turns), "0"}});
    if (!ns.ok()) return ns;
    return *ns / static_cast<double>(turns * stages);
  });
  for (Contender& peer : peers.contenders) {
    peer.name = loop + ", " + peer.name;
    contest.contenders.push_back(std::move(peer));
  }
  return contest;
}

}  // namespace

Result<std::uint64_t> controller_loop_ns(const RunOptions& options, const LoopJob& job) {
  constexpr std::uint64_t kWarmUpFirings = 256;
  LoopbackTransport transport;
  RunOptions placed = options;
  placed.transport = &transport;
  placed.node_command.clear();
  placed.processors = {{}, {0}};
  placed.idle = IdleOptions{};  // one pinned loop, and a host that sleeps
  Status answer;
  const LoopJob warm_up = *loop_job(job.name, kWarmUpFirings);
  const LoopJob* running = &warm_up;
  const auto look = [&](const Completion& done) {
    if (answer.ok() && done.failure == nullptr) answer = check_answer(*running, done.outputs.front().payload);
  };
  WOA_ASSIGN_OR_RETURN(auto driven, DrivenRun::start(job.plan, std::move(placed), look));
  if (const auto ns = drive(driven, warm_up); !ns.ok()) return ns.status();
  running = &job;
  WOA_ASSIGN_OR_RETURN(const auto ns, drive(driven, job));
  WOA_RETURN_IF_ERROR(driven.finish().status());
  WOA_RETURN_IF_ERROR(answer);
  return ns;
}

Result<Report> bench_firing(const RunOptions& options, const FiringOptions& chosen) {
  Report report{"firing", "loopback", Better::kLess};
  report.size_name = "STAGES";
  HostProbe probe;
  for (const std::string& loop : chosen.loops) {
    auto job = loop_job(loop, chosen.count);
    if (!job) return {Code::kInvalid, "there is no loop '" + loop + "'"};
    WOA_ASSIGN_OR_RETURN(auto kernels, load_kernels(job->plan, options.kernel_path));
    const auto subject = std::make_shared<Subject>(Subject{std::move(*job), std::move(kernels)});
    WOA_RETURN_IF_ERROR(run_contest(contest_of(options, chosen, subject), probe, report).status());
  }
  name_absent(report, kTaskPeers, chosen.peers);
  return report;
}

}  // namespace woa::bench
