#include "library/run_limit.h"

#include <algorithm>

#include "runtime/base/quantities.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

constexpr double kFull = 0.8;      // a part of the time that limits the run: whoever is faster there makes it faster
constexpr double kIdle = 0.75;     // less of the processors' time means that some were idle
constexpr double kCrowded = 0.25;  // other programs ran, and threads of the run waited, as much of the time
constexpr double kBriefNs = 5'000;
constexpr double kNsPerS = 1e9;

std::string percent(double share) { return to_text("%.0f %%", 100 * std::min(share, 1.0)); }

class Finder {
 public:
  Finder(const Plan& plan, const RunReport& report, double wall_s)
      : plan_(plan), report_(report), wall_s_(wall_s), processors_(static_cast<double>(report.use.usable)) {}

  std::optional<RunLimit> find() {
    for (std::size_t c = 0; c < plan_.controllers.size(); ++c) add_controller(c);
    if (limit_.share <= 0) return std::nullopt;
    find_cause();
    return std::move(limit_);
  }

 private:
  void add_controller(std::size_t c) {
    std::uint64_t busy_ns = 0, most_ns = 0;
    std::size_t longest = 0;
    const auto& stages = report_.controllers[c].stats.stages;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      busy_ns += stages[s].busy_ns;
      if (stages[s].busy_ns > most_ns) most_ns = stages[s].busy_ns, longest = s;
    }
    if (c != kHostController && !report_.controllers[c].elsewhere) busy_s_ += static_cast<double>(busy_ns) / kNsPerS;
    const std::uint32_t workers = report_.controllers[c].device.workers;
    const double share = share_of(workers, busy_ns, wall_s_);
    if (c != kHostController && share > most_of_kernels_) most_of_kernels_ = share, longest_kernel_ = longest;
    if (share <= limit_.share) return;
    limit_.controller = plan_.controllers[c].name, limit_.stage = plan_.stages[longest].name;
    limit_.share = share, limit_.stage_share = share_of(workers, most_ns, wall_s_);
    busiest_ = c;
  }

  void find_cause() {
    const double source = share_of_stage(kSourceStage), sink = share_of_stage(kSinkStage);
    const double full = part_of(report_.use.full_ns), held = part_of(report_.use.held_ns);
    if (source + sink >= kFull && source + sink > most_of_kernels_) {
      find_cause_in_host(source, sink);
    } else if (const auto serial = busiest_serial(); limit_.is_full() || serial) {
      find_cause_of_full(serial);
    } else if (ran() >= kFull && most_of_kernels_ > 0 && worked() >= kFull) {
      set(Cause::kProcessors, ran(), "the processors are full: faster kernels, more processors, or nodes (--nodes)");
    } else if (held >= kFull) {
      set(Cause::kMemory, held,
          "payloads and kernels took " + bytes_text(report_.use.memory) + " of the " +
              bytes_text(report_.use.most_memory) + " that they may: give them more by --memory");
    } else if (full >= kFull) {
      find_cause_of_full_window(full);
    } else if (are_crowded()) {
      set_programs();
    }
  }

  void find_cause_in_host(double source, double sink) {
    if (source >= sink)
      return set(Cause::kSource, source,
                 "one thread fetches all inputs: give it less to do, for instance by a stage that reads what an input "
                 "names");
    set(Cause::kSink, sink, "one thread passes all outputs on: make them smaller, or write them in a stage");
  }

  // `serial`: a stage whose firings, one at a time, took most of the time.
  void find_cause_of_full(const std::optional<std::size_t>& serial) {
    const ControllerPlan& controller = plan_.controllers[busiest_];
    if (are_crowded()) return set_programs();
    if (serial && (!limit_.is_full() || report_.controllers[plan_.stages[*serial].controller].device.workers > 1)) {
      const StagePlan& stage = plan_.stages[*serial];
      limit_.controller = plan_.controllers[stage.controller].name, limit_.stage = stage.name;
      limit_.share = limit_.stage_share = share_of_serial(stage);
      return set(Cause::kSerial, limit_.share, remedy_of_serial(stage));
    }
    if (controller.kind != ControllerKind::kCpu) {
      return set(Cause::kController, limit_.share,
                 "a faster kernel of " + limit_.stage +
                     ", or another controller for it: `woa profile`, then --profile " + "with --objective throughput");
    }
    const ControllerReport& full = report_.controllers[busiest_];
    const std::uint32_t workers = full.device.workers;
    if (workers < kMaxWorkers && !full.elsewhere && std::min(ran(), worked()) < kIdle)
      return set(Cause::kWorkers, limit_.share,
                 "its " + counted(workers, "worker") + " left processors idle: " +
                     (full.processors.empty() ? "try --workers " + std::to_string(std::min(2 * workers, kMaxWorkers))
                                              : "give it more of them by --cores"));
    set(Cause::kController, limit_.share,
        "the processors are full: a faster kernel of " + limit_.stage + ", more processors, or nodes (--nodes)");
  }

  void find_cause_of_full_window(double full) {
    if (are_crowded()) return set_programs();
    const auto is_short = [&](const EdgePlan& edge) {
      return !edge.count && edge.blocks < 2 * edge.min_blocks && plan_.window > 1;
    };
    if (std::ranges::any_of(plan_.edges, is_short))
      return set(Cause::kBlocks, full,
                 "edges have blocks for one instance: leave --buffers out, or take --buffers full");
    const StagePlan& longest = plan_.stages[longest_kernel_];
    const StageStats& stats = report_.controllers[longest.controller].stats.stages[longest_kernel_];
    const double firing_ns = static_cast<double>(stats.busy_ns) / std::max(static_cast<double>(stats.firings), 1.0);
    if (firing_ns < kBriefNs)
      return set(Cause::kBrief, full,
                 "a firing of " + longest.name + " takes " + us_text(firing_ns / 1e3) +
                     ", no longer than passing a token on: give a firing more to do, for instance several items");
    if (plan_.window < kMaxWindow)
      set(Cause::kWindow, full, "try --window " + std::to_string(std::min(2 * plan_.window, kMaxWindow)));
  }

  void set(Cause cause, double share, std::string remedy) {
    limit_.cause = cause, limit_.cause_share = share, limit_.remedy = std::move(remedy);
  }
  void set_programs() {
    set(Cause::kPrograms, waited(), "let other programs run elsewhere, or later (`uptime` shows the load)");
  }

  // Parts of the time of all processors, or of one.
  [[nodiscard]] double ran() const { return part_of(report_.use.processors.ran_ns) / processors_; }
  // By kernels: threads that wait for work run, too, and kernels may sleep.
  [[nodiscard]] double worked() const { return busy_s_ / wall_s_ / processors_; }
  [[nodiscard]] double waited() const { return part_of(report_.use.processors.waited_ns) / processors_; }
  [[nodiscard]] double part_of(std::uint64_t ns) const { return static_cast<double>(ns) / kNsPerS / wall_s_; }
  // Threads of a run wait for each other, too.
  [[nodiscard]] bool are_crowded() const {
    const double others = part_of(report_.use.all_ns) / processors_ - ran();
    return waited() >= kCrowded && others >= kCrowded;
  }

  [[nodiscard]] double share_of_stage(std::size_t stage) const {
    return part_of(report_.controllers[plan_.stages[stage].controller].stats.stages[stage].busy_ns);
  }
  [[nodiscard]] std::optional<std::size_t> busiest_serial() const {
    std::optional<std::size_t> found;
    for (std::size_t s = kSinkStage + 1; s < plan_.stages.size(); ++s) {
      const StagePlan& stage = plan_.stages[s];
      const bool serial = stage.serial || stage.stateful == Stateful::kRun;
      if (!serial || share_of_serial(stage) < kFull) continue;
      if (!found || share_of_stage(s) > share_of_stage(*found)) found = s;
    }
    return found;
  }
  // Stages of one serial kernel on a controller take turns and count together; one that keeps state counts alone.
  [[nodiscard]] double share_of_serial(const StagePlan& one) const {
    double share = 0;
    for (std::size_t s = kSinkStage + 1; s < plan_.stages.size(); ++s) {
      const StagePlan& other = plan_.stages[s];
      const bool takes_turns = one.serial && other.kernel == one.kernel && other.controller == one.controller;
      if (takes_turns || &other == &one) share += share_of_stage(s);
    }
    return share;
  }
  static std::string remedy_of_serial(const StagePlan& stage) {
    if (stage.stateful == Stateful::kRun)
      return "it keeps state for the run, so its firings follow one another: do less in it";
    return "its kernel is serial: leave `serial` out of its kernel.yaml if several threads may run it, or do less "
           "in it";
  }

  const Plan& plan_;
  const RunReport& report_;
  const double wall_s_, processors_;
  RunLimit limit_;
  double busy_s_ = 0;           // of kernels
  double most_of_kernels_ = 0;  // the largest share of a controller beside the host
  std::size_t busiest_ = 0, longest_kernel_ = kSinkStage;
};

}  // namespace

std::string_view to_string(Cause cause) noexcept {
  switch (cause) {
    case Cause::kSource: return "source";
    case Cause::kSink: return "sink";
    case Cause::kPrograms: return "programs";
    case Cause::kSerial: return "serial";
    case Cause::kWorkers: return "workers";
    case Cause::kController: return "controller";
    case Cause::kProcessors: return "processors";
    case Cause::kMemory: return "memory";
    case Cause::kBlocks: return "blocks";
    case Cause::kBrief: return "brief";
    case Cause::kWindow: return "window";
    case Cause::kWaiting: return "waiting";
  }
  return "";
}

double share_of(std::uint32_t workers, std::uint64_t busy_ns, double wall_s) {
  const double all_s = wall_s * std::max<double>(workers, 1);
  return all_s > 0 ? static_cast<double>(busy_ns) / kNsPerS / all_s : 0;
}

bool RunLimit::is_full() const noexcept { return share >= kFull; }

std::string RunLimit::text() const {
  const std::string worked = "worked " + percent(share) + " of the time, " + percent(stage_share) + " on " + stage;
  const std::string busiest = controller + ", the busiest, " + worked;
  const std::string part = percent(cause_share) + " of the time";
  switch (cause) {
    case Cause::kSource: return "limited by the source: the host fetched inputs " + part;
    case Cause::kSink: return "limited by the sink: the host passed outputs on " + part;
    case Cause::kPrograms: return "limited by other programs: threads of this run waited for a processor " + part;
    case Cause::kSerial: return "limited by " + stage + ", one firing at a time: it worked " + part;
    case Cause::kWorkers:
    case Cause::kController: return "limited by " + controller + ": it " + worked;
    case Cause::kProcessors: return "limited by the processors: they worked " + part + "; " + busiest;
    case Cause::kMemory:
      return "limited by memory: the run took too much to begin more instances " + part + "; " + busiest;
    case Cause::kBlocks:
    case Cause::kBrief:
    case Cause::kWindow: return "limited by the window: it was full " + part + "; " + busiest;
    case Cause::kWaiting: break;
  }
  return "limited by no controller: " + busiest + "; instances waited for inputs, messages, processors or the window";
}

std::optional<RunLimit> limit_of(const Plan& plan, const RunReport& report, double wall_s) {
  return Finder(plan, report, wall_s).find();
}

}  // namespace woa
