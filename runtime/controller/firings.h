// Firings take a match to committed outputs: they claim room, show ports to the kernel, start it and complete it.
//
// One thread uses them. They allocate nothing after construction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/controller/active_firing.h"
#include "runtime/controller/activity.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/block_returns.h"
#include "runtime/controller/claims.h"
#include "runtime/controller/handover.h"
#include "runtime/controller/local_queue.h"
#include "runtime/controller/matching.h"
#include "runtime/controller/poison.h"
#include "runtime/controller/publications.h"
#include "runtime/controller/sending.h"
#include "runtime/controller/stage_program.h"
#include "runtime/controller/trace.h"

namespace woa {

// The tokens that a firing consumes: one for each input port from `first_port` on. Borrowed.
struct Consumed {
  std::span<const Token> tokens;
  std::uint32_t first_port = 0;
  std::uint32_t match = kNone;  // in the match table; the firing consumes its elements, too
  [[nodiscard]] const Token* at(std::uint32_t port) const noexcept {
    const std::uint32_t place = port - first_port;  // of a port before the first one: a huge number
    return place < tokens.size() ? &tokens[place] : nullptr;
  }
};

enum class Fired : std::uint8_t {
  kStarted,  // the firing owns the tokens; if the kernel ran in the call, complete_ran() must follow
  kNotYet,   // a claim failed, or an older firing goes first: try again after a change
  kBusy,     // every worker is busy, so younger matches cannot start either
  kGone      // the instance is dead: its tokens are dropped, except those outside of the match table
};

// Kernels that take no longer are timed in some firings only, because reading the clock takes about as long.
inline constexpr std::uint64_t kShortKernel_ns = 1'000;

class Firings final : private DevicePoison {
 public:
  // All parts outlive it. `backend` is destroyed before it, since a device may still run its firings.
  struct Parts {
    const Plan& plan;
    const Layout& layout;
    std::uint32_t controller;
    Backend& backend;
    StagePrograms& programs;
    Matching& matching;
    Claims& claims;
    Sending& sending;
    Publications& publications;
    BlockReturns& returns;
    Poison& poison;
    Trace& trace;
    ControllerStats& stats;
    RunFailure& failure;
    const LocalQueue& local;
    const std::uint64_t& oldest;
  };
  Firings(const Parts& parts, Activity activity);
  ~Firings() override;  // sends poison for packets that unfinished firings prepared
  Firings(const Firings&) = delete;
  Firings& operator=(const Firings&) = delete;

  // Fires a stage, or says why not. `entry` belongs to the match's instance, which is alive.
  [[nodiscard]] Fired fire(StageProgram& stage, StageInstance& entry, const MatchKey& match,
                           const Consumed& consumed) noexcept;
  // Completes the firing whose kernel ran within the last fire(), if one did.
  void complete_ran() noexcept {
    if (ran_ != nullptr) complete(*std::exchange(ran_, nullptr));
  }
  // Completes the firings that ended since the last call, and returns their number.
  std::size_t poll() noexcept { return any_running() ? poll_running() : 0; }
  [[nodiscard]] std::size_t running() const noexcept { return done_.size() - idle_count_; }
  [[nodiscard]] bool any_running() const noexcept { return running() != 0; }
  // Workers have firings that wait for them, and will soon be done with those that they run.
  [[nodiscard]] bool keep_workers_busy() const noexcept {
    return runs_in_ == RunsIn::kEither && long_running_ == 0 && running() >= std::size_t{2} * workers_;
  }
  // The controller's thread has slept.
  void note_sleep() noexcept {
    if (any_running()) handover_.note_sleep();
  }
  [[nodiscard]] bool workers_run() const noexcept { return runs_in_ == RunsIn::kEither && any_running(); }
  // True if a firing with that tag has not completed.
  [[nodiscard]] bool is_running(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag) const noexcept;
  // True if the firing that has started kept this thread for a short time only, to judge by those before it.
  [[nodiscard]] bool was_brief(const StageProgram& stage) const noexcept {
    return is_short(stage) || (runs_in_ == RunsIn::kEither && ran_ == nullptr);
  }
  // A token has had to wait until this thread was done with others: they could have run elsewhere.
  void note_waiting() noexcept { handover_.note_waiting(); }
  // The receiver of poison that a device writes itself.
  [[nodiscard]] DevicePoison& device_poison() noexcept { return *this; }

 private:
  bool start(const WaitingPoison& poison) noexcept override;
  template <bool kPlain>
  [[nodiscard]] Fired fire_as(StageProgram& stage, StageInstance& entry, const MatchKey& match,
                              const Consumed& consumed) noexcept;
  template <bool kPlain>
  [[nodiscard]] Fired prepare(ActiveFiring& firing, const Consumed& consumed) noexcept;
  [[nodiscard]] Fired check_order(StageProgram& stage, StageInstance& entry, std::uint64_t tag) noexcept;
  template <bool kPlain>
  [[nodiscard]] Fired run(ActiveFiring& firing) noexcept;
  Fired fail(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag, const Status& why) noexcept;
  [[nodiscard]] bool gather(ActiveFiring& firing, const Consumed& consumed) noexcept;
  template <bool kPlain>
  [[nodiscard]] bool show_inputs(ActiveFiring& firing, const Consumed& consumed) noexcept;
  template <bool kPlain>
  [[nodiscard]] bool show(ActiveFiring& firing, std::uint32_t port, const Token& token, woa_input& view) noexcept;
  [[nodiscard]] bool show_placed(ActiveFiring& firing, std::uint32_t port, const Token& token,
                                 woa_input& view) noexcept;
  void reserve_in_device(ActiveFiring& firing, const OutPort& port, const PortClaim& claim,
                         woa_output& view) const noexcept;
  [[nodiscard]] bool show_elements(ActiveFiring& firing, std::uint32_t port, std::size_t first,
                                   std::size_t count) noexcept;
  [[nodiscard]] Status why_not_shown(const ActiveFiring& firing) const;
  template <bool kPlain>
  void show_outputs(ActiveFiring& firing) noexcept;
  [[nodiscard]] static const Token& keep(ActiveFiring& firing, std::uint32_t port, const Token& token) noexcept;
  static void list_routes(ActiveFiring& firing);
  void count_copies(ActiveFiring& firing) noexcept;
  [[nodiscard]] static bool is_short(const StageProgram& stage) noexcept {
    return stage.stats->busy_ns < stage.stats->firings * kShortKernel_ns;
  }
  // Outputs are claimed before a firing waits for a worker: more of them than a few would spread over more memory than
  // workers write at once. One waits for two workers, which is enough for kernels that take long.
  [[nodiscard]] bool enough_are_long() const noexcept { return long_running_ >= workers_ + std::max(workers_ / 2, 1U); }
  [[nodiscard]] bool runs_here(const StageProgram& stage) noexcept;
  void decide_timing(ActiveFiring& firing) const noexcept;
  static void decide_place(StageProgram& stage, std::uint64_t ns, std::uint32_t firings) noexcept;

  [[nodiscard]] Fired prepare_joined(ActiveFiring& firing) noexcept;
  void start_joined(const ActiveFiring& firing) noexcept;
  void complete_joined(const ActiveFiring& firing) noexcept;

  void deliver_early(ActiveFiring& firing) noexcept;
  void send_ordered(ActiveFiring& firing, std::uint32_t port) noexcept;
  void complete_ordered(ActiveFiring& firing, bool wanted) noexcept;
  void note_lost_device(const ActiveFiring& firing, std::uint64_t order) noexcept;
  void blame_first() noexcept;

  void prepare_packets(ActiveFiring& firing) noexcept;
  void start_waiting() noexcept;
  void complete_prepared(ActiveFiring& firing) noexcept;
  [[nodiscard]] bool complete_prepared_as_poison(ActiveFiring& firing, const Status& why) noexcept;
  [[nodiscard]] static Status why_lost(const ActiveFiring& firing, const Status& why);

  std::size_t poll_running() noexcept;
  void complete(ActiveFiring& firing) noexcept;
  template <bool kPlain>
  void complete_as(ActiveFiring& firing) noexcept;
  template <bool kPlain>
  void complete_on_host(ActiveFiring& firing, bool wanted) noexcept;
  void complete_by_device(ActiveFiring& firing, bool wanted) noexcept;
  template <bool kPlain>
  void commit(ActiveFiring& firing) noexcept;
  void commit_elements(ActiveFiring& firing, std::uint32_t port, std::size_t claim, Outgoing& token) noexcept;
  void commit_sealed(ActiveFiring& firing) noexcept;
  void commit_poison(ActiveFiring& firing, std::span<const char> text) noexcept;
  void count(ActiveFiring& firing) noexcept;
  template <bool kPlain>
  void finish(ActiveFiring& firing) noexcept;
  void release(ActiveFiring& firing) noexcept;
  void trace_writes(const ActiveFiring& firing, std::uint32_t port, std::uint32_t element, std::uint64_t bytes);
  void trace_write(const ActiveFiring& firing, std::uint32_t edge, std::uint64_t bytes);
  void trace_firing(const ActiveFiring& firing);

  // The firings of one stage. It has one of its own, and shares others with all stages of the controller.
  struct OfStage {
    std::unique_ptr<ActiveFiring> own;
    ActiveFiring* running = nullptr;  // the first that runs; each names the next
  };
  // Visits every firing of the controller.
  template <class Visit>
  void each(const Visit& visit) {
    for (const OfStage& stage : firings_) {
      if (stage.own != nullptr) visit(*stage.own);
    }
    for (const auto& firing : shared_) visit(*firing);
  }
  // A firing of the stage that does not run: there is one while idle_count_ is not 0.
  [[nodiscard]] ActiveFiring* next(StageProgram& stage) noexcept {
    ActiveFiring* const own = firings_[stage.id].own.get();
    if (!own->running) return own;
    if (free_ != nullptr) free_->bind(stage);
    return free_;
  }
  // take(): the firing that next() gave stays with another thread or a device. put_back(): it has come back.
  void take(ActiveFiring& firing) noexcept {
    firing.running = true;
    if (firing.program->under_way != nullptr) ++*firing.program->under_way;
    // run() has set it for a worker, which may read it now; those that a device runs behind another get theirs here.
    ActivitySlot* const slot = idle_[--idle_count_];
    if (firing.activity != slot) firing.activity = slot;
    firing.is_long = firing.program->is_long;
    long_running_ += firing.is_long ? 1 : 0;
    if (firing.shared) free_ = firing.link;
    firing.place = &firings_[firing.stage].running;
    firing.link = std::exchange(*firing.place, &firing);
    if (firing.link != nullptr) firing.link->place = &firing.link;
  }
  void put_back(ActiveFiring& firing) noexcept;

  Parts parts_;
  std::vector<OfStage> firings_;  // by stage of the plan
  std::vector<std::unique_ptr<ActiveFiring>> shared_;
  ActiveFiring* free_ = nullptr;     // the first of these that does not run; each names the next
  std::vector<ActivitySlot> own_;    // slots of a run in which nobody reads what runs
  std::vector<ActivitySlot*> idle_;  // the first idle_count_ count: one for each further firing that may run
  std::size_t idle_count_;
  Handover handover_;
  std::size_t long_running_ = 0;  // firings of stages that take long
  std::size_t spare_ = 0;         // of them: for a firing in this thread while workers have all others
  const RunsIn runs_in_;          // of the back-end
  const std::uint32_t workers_;
  std::vector<Firing*> done_;        // scratch of poll(), with room for all firings that may run
  ActiveFiring* ran_ = nullptr;      // the firing whose kernel ran in fire()
  ActiveFiring* waiting_ = nullptr;  // its packets are prepared and every worker is busy; no other may prepare any
  std::uint64_t ordered_ = 0;        // number of firings that the device ordered
  struct {
    std::uint64_t order = 0;
    Status why;
  } lost_device_;  // the first ordered firing known to have failed; order 0: none
};

}  // namespace woa
