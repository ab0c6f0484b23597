// A woa_run: a run, the program's callbacks, and whoever drives it.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "library/options.h"
#include "library/plan_object.h"
#include "library/run_report.h"
#include "library/waiting_line.h"
#include "runtime/base/latencies.h"
#include "runtime/base/processor.h"
#include "runtime/controller/port_shape.h"
#include "woa/woa.h"

namespace woa {

// With a thread of its own, other threads leave orders, which that thread carries out; else they happen at once.
class RunObject {
 public:
  static Result<std::unique_ptr<RunObject>> start(const woa_plan& plan, const woa_run_setup& setup);
  ~RunObject();
  RunObject(const RunObject&) = delete;
  RunObject& operator=(const RunObject&) = delete;

  // The functions of woa.h. Those that answer a woa_status have set the thread's message.
  woa_status submit(woa_fill fill, void* user, std::uint64_t timeout_ns, std::uint64_t patience_ns,
                    std::uint64_t* instance);
  woa_status wait(std::uint64_t instance, std::uint64_t timeout_ns);
  woa_status work(std::uint64_t timeout_ns);
  woa_status drain(std::uint64_t timeout_ns);
  Status give_back(std::uint64_t instance);
  Status cancel(std::uint64_t instance, const std::string& why);
  void count(woa_statistics& statistics);
  Result<nlohmann::json> finish();
  // Not ok in a process that was forked since the start: nothing of the run is there.
  [[nodiscard]] Status check_process() const;
  // Not ok in a thread that may not make calls: another than the one that drives, and started, the run.
  [[nodiscard]] Status check_thread() const;
  // True within a callback, in the thread that drives.
  [[nodiscard]] bool calls_back() const { return drives() && calls_back_; }

 private:
  // The end of an instance, for those that wait for it.
  struct End {
    bool told = false;  // its callback has returned
    bool kept = false;  // the program keeps its outputs
    std::condition_variable changed;
  };
  static constexpr const char* kFinished = "the run has finished; start another";
  static constexpr std::uint64_t kLongestSleep_ns = 1'000'000'000;  // in one call of the system

  RunObject(const woa_plan& plan, const woa_run_setup& setup);
  // The time left until `timeout_ns` after `began`; 0: it has passed.
  static std::uint64_t time_left(std::uint64_t began, std::uint64_t timeout_ns);
  Result<std::uint64_t> fill_input(std::uint64_t instance, std::uint32_t input, std::span<std::byte> room);
  void complete(const Completion& ended);
  woa_taken tell(const Completion& completion);
  // While it lives, the program's callback runs.
  class CallBack {
   public:
    explicit CallBack(RunObject& run) : run_(run), before_(std::exchange(run.calls_back_, true)) {}
    ~CallBack() { run_.calls_back_ = before_; }
    CallBack(const CallBack&) = delete;
    CallBack& operator=(const CallBack&) = delete;

   private:
    RunObject& run_;
    bool before_;
  };
  // True in the thread that drives, where orders are carried out at once.
  [[nodiscard]] bool drives() const { return std::this_thread::get_id() == owner_.load(); }
  // Not ok in a callback.
  [[nodiscard]] Status check_wait() const;
  template <class Order>
  Status carry_out(Order order);
  void wake_driver();
  void leave_order(std::function<void()> order);
  bool carry_out_orders();
  Status start_run(PinnedThread& pinned);
  Status start_driver();
  void drive(const std::stop_token& stop);
  void note_progress();
  void note_status();
  woa_status push(std::uint64_t number);
  void push_or_fail(std::uint64_t number);
  woa_status submit_here(const Submission& submission, std::uint64_t patience_ns, std::uint64_t* instance);
  woa_status submit_in_line(const Submission& submission, std::uint64_t patience_ns, std::uint64_t* instance);
  // True if the next to be admitted finds a place in the window.
  [[nodiscard]] bool has_place() const { return admitted() < oldest_ + plan_.window; }
  // Instances that are not in line, or in it no more.
  [[nodiscard]] std::uint64_t admitted() const { return submitted_ - line_.size(); }
  [[nodiscard]] bool has_ended(std::uint64_t instance) const;
  [[nodiscard]] End& end_of(std::uint64_t instance) { return ends_[instance]; }
  std::uint64_t next_number();
  bool wait_for_mine(std::unique_lock<std::mutex>& lock, std::uint64_t patience_ns);
  void admit_first(Sleepers& sleepers);
  void admit_line(Sleepers& sleepers);
  void fail_line();
  woa_status refuse_for_now();
  void show(const Completion& completion);
  void keep(End& end, bool kept);
  void count_end(const Completion& completion);
  woa_status drive_until(std::uint64_t timeout_ns, const std::function<bool()>& done);
  woa_status wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, std::uint64_t timeout_ns,
                        const std::function<bool()>& done, bool to_the_end);
  Status drain_to_finish();
  void stop_driver();

  const Plan plan_;  // that runs; its types are what the views below refer to
  woa_on_completion on_completion_;
  void* user_;
  RunArguments arguments_;
  bool own_thread_ = false;
  std::atomic<std::thread::id> owner_{};  // the thread that drives
  bool calls_back_ = false;               // of that thread
  std::uint64_t born_;                    // counts forks
  std::vector<PortShape> inputs_, outputs_;
  std::vector<woa_output> input_views_;  // with the fixed dimensions
  std::vector<woa_input> output_views_;  // of the completion that is told
  ByInstance<Submission> submissions_;
  std::uint64_t pushed_ = 0;            // from the line; of whoever drives
  std::optional<PinnedThread> pinned_;  // the caller's, if it drives
  std::unique_ptr<OwnedRun> owned_;
  std::optional<Result<RunReport>> counted_;  // once the run has finished; of whoever drives

  std::mutex mutex_;  // of what follows, which several threads see
  // Each notice wakes only those whom it concerns: work() waits for any progress, drain() for the last end.
  std::condition_variable changed_, drained_;
  ByInstance<End> ends_;  // more than the window has, so that whoever waits for one in line is rarely woken for another
  WaitingLine line_;      // submissions that wait for a place
  std::vector<std::function<void()>> orders_;
  Latencies latencies_;
  std::uint64_t submitted_ = 0, succeeded_ = 0, failed_ = 0;
  std::vector<FailedInstance> failures_;  // the first kKeptFailures
  std::vector<OutputCount> output_counts_;
  std::uint64_t told_ = 0;                         // instances whose callback has returned
  std::uint64_t kept_ = 0;                         // instances whose outputs the program keeps
  std::uint64_t oldest_ = 0;                       // that holds a place in the window
  std::uint64_t progress_ = 0;                     // ends of instances and places that became free
  std::map<std::thread::id, std::uint64_t> seen_;  // those that work() has told each thread of
  std::uint64_t first_submitted_ns_ = 0, last_ended_ns_ = 0;
  Status status_;           // why the run has ended
  bool finishing_ = false;  // a thread is in finish()
  bool closed_ = false;     // all have ended, and no more are submitted
  bool finished_ = false, driver_left_ = false;
  std::atomic<bool> has_orders_{false};
  std::jthread driver_;  // last: it uses the others
};

}  // namespace woa

struct woa_run {
  std::unique_ptr<woa::RunObject> run;
};
