#include "bench/micro/fabric.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "bench/harness/contest.h"
#include "bench/micro/host_probe.h"
#include "bench/micro/one_thread_hop.h"
#include "bench/micro/plans.h"
#include "bench/micro/raw_mailbox.h"
#include "bench/micro/transport_hop.h"
#include "runtime/base/clock.h"

namespace woa::bench {
namespace {

FillInput token(std::uint64_t counter, std::uint64_t bytes) {
  return [counter, bytes](std::uint32_t, std::span<std::byte> room) {
    std::memcpy(room.data(), &counter, sizeof counter);
    return Result<std::uint64_t>(bytes);
  };
}

// Runs `instances` tokens to their end; ns from the first submission to the last completion.
Result<std::uint64_t> drive(Run& run, std::uint64_t instances, const std::uint64_t& completed, const FillInput& fill) {
  const std::uint64_t start = now_ns(), target = completed + instances;
  for (std::uint64_t left = instances; completed < target && run.status().ok();) {
    while (left > 0 && run.submit(fill) == Push::kOk) --left;
    if (run.do_work() == 0) run.wait();
  }
  if (!run.status().ok()) return run.status();
  return now_ns() - start;
}

struct Driven {
  std::unique_ptr<Run> run;
  std::unique_ptr<std::uint64_t> completed = std::make_unique<std::uint64_t>(0);
  std::unique_ptr<Failure> failure = std::make_unique<Failure>();
};

Result<Driven> start(Plan plan, RunOptions options, bool pinned) {
  Driven out;
  if (pinned) {
    options.processors = {-1, 0, 1};
    options.idle = IdleOptions{};  // two pinned loops and a host that sleeps: spinning hurts nobody
  }
  auto run = Run::start(std::move(plan), std::move(options),
                        [&count = *out.completed, &failure = *out.failure](const Completion& done) {
                          ++count;
                          if (done.failure != nullptr) failure = *done.failure;
                        });
  if (!run.ok()) return run.status();
  out.run = std::move(*run);
  return out;
}

Status finish(Driven& driven) {
  auto report = driven.run->finish();
  driven.run.reset();
  if (!report.ok()) return report.status();
  return {driven.failure->code, driven.failure->message};
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

}  // namespace

Result<Report> bench_hop(const RunOptions& options, std::uint64_t hops, std::uint64_t repetitions) {
  auto driven = start(ping_pong(1), options, true);
  if (!driven.ok()) return driven.status();
  Transport& transport = *options.transport;
  const std::uint64_t round_trips = (hops + 1) / 2;
  const auto controllers = [&]() -> Result<double> {
    const auto ns = drive(*driven->run, 1, *driven->completed, token(hops, kToken));
    if (!ns.ok()) return ns.status();
    return static_cast<double>(*ns) / static_cast<double>(hops);
  };
  const Contest contest{
      "ns",
      repetitions,
      "raw mailbox",
      {{"raw mailbox", "limit", kToken, [&] { return raw_mailbox_ns(kToken, round_trips); }},
       {"transport alone, inline", "ours", kToken,
        [&] { return transport_hop_ns(transport, kToken, false, round_trips); }},
       {"the same with header CRC", "ours", kToken,
        [&] { return transport_hop_ns(transport, kToken, true, round_trips); }},
       {"controllers alone, one thread", "ours", kToken, [&] { return one_thread_hop_ns(options, hops); }},
       {"controller to controller", "ours", kToken, controllers}}};
  HostProbe probe;
  auto rows = run_contest(contest, [&] { return probe.look(); });
  if (!rows.ok()) return rows.status();
  WOA_RETURN_IF_ERROR(finish(*driven));
  return Report{"hop", std::string(transport.name()), Better::kLess, probe.state(), std::move(*rows)};
}

Result<Report> bench_busy(const RunOptions& options, std::uint64_t packets, std::uint64_t repetitions) {
  auto driven = start(ping_pong(kMaxWindow), options, true);
  if (!driven.ok()) return driven.status();
  Report report{"busy",
                std::string(options.transport->name()),
                Better::kMore,
                "n/a",
                {{"controller to controller, 64 tokens", "ours", kToken, "Mpackets/s", {}, 0}}};
  for (std::uint64_t r = 0; r < repetitions; ++r) {
    auto ns = drive(*driven->run, kMaxWindow, *driven->completed, token(packets / kMaxWindow, kToken));
    if (!ns.ok()) return ns.status();
    report.rows[0].samples.push_back(static_cast<double>(packets) * 1e3 / static_cast<double>(*ns));
  }
  WOA_RETURN_IF_ERROR(finish(*driven));
  return report;
}

Result<Report> bench_idle(const RunOptions& options, double seconds) {
  auto driven = start(copies(2, kToken), options, false);
  if (!driven.ok()) return driven.status();
  const std::uint64_t begin = now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // start-up is not idling
  const double before = children_cpu_s();
  const std::uint64_t start_ns = now_ns();
  while (static_cast<double>(now_ns() - begin) < seconds * 1e9) {
    if (driven->run->do_work() == 0) driven->run->wait();
  }
  const double share = (children_cpu_s() - before) / (static_cast<double>(now_ns() - start_ns) / 1e9) * 100;
  WOA_RETURN_IF_ERROR(finish(*driven));
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
  auto driven = start(copies(3, kBytes), options, false);
  if (!driven.ok()) return driven.status();
  auto warm = drive(*driven->run, kWarm, *driven->completed, token(0, kBytes));
  if (!warm.ok()) return warm.status();
  auto before = pss_kib();
  auto rest = drive(*driven->run, instances - kWarm, *driven->completed, token(0, kBytes));
  if (!rest.ok()) return rest.status();
  auto after = pss_kib();
  if (!before.ok()) return before.status();
  if (!after.ok()) return after.status();
  WOA_RETURN_IF_ERROR(finish(*driven));
  return Report{"memory",
                std::string(options.transport->name()),
                Better::kLess,
                "n/a",
                {{"PSS after 1,000 instances", "ours", kBytes, "KiB", {*before}, 0},
                 {"growth until the last", "ours", kBytes, "KiB", {*after - *before}, 0}}};
}

}  // namespace woa::bench
