// A run that a thread of the library drives, and the instances that Python has submitted to it.
//
// Rules: waiting calls release the GIL. The library's thread takes it only for a function that Python gave. Locks of
// the run are never held while the GIL is awaited.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "python/input.h"
#include "python/port.h"
#include "woa/woa.h"

namespace woa::python {

// Outputs that Python still looks at may hold all places. Another thread may drop them within this time.
constexpr std::chrono::seconds kPatience{5};

using Options = std::vector<std::pair<std::string, std::string>>;
using PlanHandle = std::shared_ptr<woa_plan>;
class Run;

// One submission, and later its result.
class Instance {
 public:
  // `views`: outputs are left where the last stage wrote them; else copied.
  Instance(std::shared_ptr<Run> run, const nanobind::tuple& values, bool views);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] bool done();
  // By output. Throws why the instance failed, or TimeoutError. `seconds` < 0: for ever.
  nanobind::tuple result(double seconds);
  // The exception that result() would throw, or None.
  nanobind::object exception(double seconds);
  bool cancel(const std::string& why);
  // Calls `function` when the instance has ended: at once, or in the library's thread.
  void call_when_done(nanobind::object function);
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::uint64_t latency_ns() const { return latency_ns_; }

 private:
  friend class Run;
  struct Output {
    bool absent = false;
    std::uint8_t* data = nullptr;
    std::uint64_t bytes = 0;
    std::array<std::uint32_t, WOA_MAX_RANK> dims{};
    std::shared_ptr<const void> owner = {};  // of the data
  };

  woa_status write(std::uint32_t input, woa_output& room, woa_error& error);
  // True: the outputs are kept. `is_awaited`: Python will ask for them.
  bool end(const woa_completion& completion, bool is_awaited);
  void take(std::span<const woa_input> outputs, const std::shared_ptr<const void>& owner);
  void conclude(woa_status status, const std::string& message);
  void tell();
  bool wait_for(double seconds, std::condition_variable& changed, const bool& flag);
  void wait_for_end(double seconds);
  // Python may change the inputs after one of these. Few bytes are copied before the instance is submitted, since
  // waiting costs more. False: there are more, or a function.
  bool keep_small_inputs();
  void wait_until_written();
  nanobind::object value(std::size_t output) const;
  [[nodiscard]] nanobind::object failure() const;

  std::shared_ptr<Run> run_;
  std::vector<Input> inputs_;
  bool views_;
  std::mutex mutex_;
  std::condition_variable changed_, written_changed_;
  std::size_t written_count_ = 0;
  bool written_ = false, ended_ = false;
  std::atomic<std::uint64_t> number_{0};
  std::atomic<std::uint64_t> latency_ns_{0};
  woa_status status_ = WOA_OK;
  std::string message_;
  std::vector<Output> outputs_;
  std::uint64_t copied_bytes_ = 0;  // of outputs_
  nanobind::object thrown_;         // by a function that wrote an input
  nanobind::object raised_;         // by a kernel
  std::vector<nanobind::object> when_done_;
};

class Run : public std::enable_shared_from_this<Run> {
 public:
  // `overlap`: how many instances the plan's buffers hold at once. `on_message`: a function of a text, or None.
  static std::shared_ptr<Run> start(PlanHandle plan, Options options, std::uint64_t overlap,
                                    nanobind::object on_message);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Waits for a place in the window, and until the inputs are written: Python may change them then.
  std::shared_ptr<Instance> submit(const nanobind::tuple& values, std::uint64_t deadline_ns, bool views);
  nanobind::tuple call(const nanobind::tuple& values, std::uint64_t deadline_ns, bool views);
  nanobind::dict statistics();
  void cancel(const std::string& why);
  // False: the instance is not in flight.
  bool cancel(std::uint64_t instance, const std::string& why);
  // Drains and ends the run; the JSON of its report. Kept outputs stay until their views are dropped.
  std::string finish();
  // Cancels what is in flight, and ends the run: in a function that the run calls, later. Never throws what the run
  // failed with.
  void close(const std::string& why);
  [[nodiscard]] bool is_ended() const { return closing_; }
  // Copies of outputs that no longer stand in the run, while Python has their instances.
  [[nodiscard]] std::uint64_t waiting_bytes() const { return waiting_bytes_; }

 private:
  friend class Instance;
  // Gives an instance's outputs back when the last view of them is dropped.
  struct Kept {
    std::shared_ptr<Run> run;
    std::uint64_t instance;
    ~Kept();
  };

  // The library calls this. It lives as long as the library's run, which a signal may part from this one at its start.
  struct Callbacks {
    Run* to = nullptr;
    nanobind::object on_message = {};  // until it has started
  };
  struct Started {
    std::shared_ptr<woa_run> run;
    woa_status status = WOA_OK;
    std::string message;
  };

  Run(PlanHandle plan, std::uint64_t overlap);
  void start(Options options);
  // Runs `body` of the library's run if that is there; else why it is not.
  template <class Body>
  std::pair<woa_status, std::string> with(Body body);
  void admit(const std::shared_ptr<Instance>& instance, std::uint64_t deadline_ns);
  std::pair<woa_status, std::string> push(const std::shared_ptr<Instance>& instance, std::uint64_t deadline_ns);
  bool only_views_hold_the_window();
  woa_statistics count();
  [[nodiscard]] bool drives() const { return driver_.load() == std::this_thread::get_id(); }
  // This thread runs a kernel of this run.
  [[nodiscard]] bool is_in_kernel() const;
  void refuse_kernels() const;
  [[nodiscard]] bool is_drained();
  void drain();
  std::pair<woa_status, std::string> end(std::string* json);
  static woa_status fill(void* user, std::uint64_t number, std::uint32_t input, woa_output* room, woa_error* error);
  static woa_taken complete(void* user, const woa_completion* completion);
  static void tell(void* user, const char* text);

  const PlanHandle plan_;
  const std::vector<Port> inputs_, outputs_;
  const std::uint64_t overlap_;
  const int process_;  // that made it
  const std::shared_ptr<Callbacks> callbacks_ = std::make_shared<Callbacks>();
  woa_statistics last_{};  // of a run that has finished
  std::shared_ptr<woa_run> run_;
  std::shared_mutex life_;  // shared by calls of the library; alone by what ends the run
  std::atomic<bool> closing_{false}, finished_{false};
  std::atomic<std::uint64_t> kept_{0}, waiting_bytes_{0};
  std::atomic<std::thread::id> driver_{};  // the library's thread, once it has called
  bool filling_ = false;                   // of that thread
  std::mutex mutex_;                       // of what follows
  std::unordered_map<Instance*, std::shared_ptr<Instance>> open_;
};

}  // namespace woa::python
