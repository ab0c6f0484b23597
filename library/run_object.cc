#include "library/run_object.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "library/answer.h"
#include "library/option_names.h"
#include "library/run_report.h"
#include "runtime/base/clock.h"
#include "runtime/base/text.h"
#include "runtime/base/thread.h"
#include "runtime/controller/kernel_call.h"

namespace woa {
namespace {

constexpr std::uint32_t kFewestEnds = 64;

// Forks of this process and of those it was forked from.
std::atomic<std::uint64_t> forks{0};
std::uint64_t count_forks() {
  static const int watched = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  return watched == 0 ? forks.load() : 0;
}

woa_output view_of(const PortType& type) {
  woa_output view{};
  for (std::size_t d = 0; d < type.dims.size(); ++d) view.dims[d] = type.dims[d].size;
  return view;
}

// The token's bytes fit the room.
Status why_unfit(const PortType& type, const woa_output& view) {
  std::string dims;
  for (std::size_t d = 0; d < type.dims.size(); ++d) dims += (d == 0 ? "" : ",") + std::to_string(view.dims[d]);
  return {Code::kInvalid, counted(view.bytes, "byte") + " with dimensions [" + dims + "] given, expected " +
                              to_string(type) + ", all of it"};
}

}  // namespace

RunObject::RunObject(const woa_plan& plan, const woa_run_setup& setup)
    : plan_(plan.calls),
      on_completion_(setup.on_completion),
      user_(setup.user),
      born_(count_forks()),
      submissions_(plan_.window),
      ends_(std::max(plan_.window, kFewestEnds)) {
  for (const OutputPortPlan& input : plan_.stages[kSourceStage].outputs) {
    inputs_.emplace_back(input.type);
    input_views_.push_back(view_of(input.type));
  }
  for (const InputPortPlan& output : plan_.stages[kSinkStage].inputs) {
    outputs_.emplace_back(output.type);
    output_counts_.push_back({.name = output.name});
  }
  output_views_.resize(outputs_.size());
  failures_.reserve(kKeptFailures);
}

Result<std::unique_ptr<RunObject>> RunObject::start(const woa_plan& plan, const woa_run_setup& setup) {
  std::unique_ptr<RunObject> object(new RunObject(plan, setup));
  CLI::App app;
  app.set_help_flag();
  StartOptions options;
  add_start_options(app, options);
  WOA_RETURN_IF_ERROR(parse_options(app, {setup.options, setup.option_count}));
  object->arguments_ = options.run;
  object->own_thread_ = options.own_thread;
  Plan calls = plan.calls;
  for (ControllerPlan& controller : calls.controllers)  // the window and the blocks stay the plan's
    if (options.workers && controller.kind == ControllerKind::kCpu) controller.workers = *options.workers;
  WOA_RETURN_IF_ERROR(check_runnable(calls));
  WOA_ASSIGN_OR_RETURN(auto job, ParallelJob::find());
  WOA_RETURN_IF_ERROR(woa::complete(object->arguments_, job));
  const OnMessage say = [&setup](const std::string& text) {
    if (setup.on_message != nullptr) setup.on_message(setup.user, text.c_str());
  };
  RunObject& self = *object;
  WOA_ASSIGN_OR_RETURN(object->owned_, OwnedRun::prepare(calls, object->arguments_, job, say));
  object->owner_ = std::this_thread::get_id();
  WOA_RETURN_IF_ERROR(object->own_thread_ ? self.start_driver() : self.start_run(self.pinned_.emplace()));
  return object;
}

RunObject::~RunObject() { stop_driver(); }

// In the thread that drives, which is pinned.
Status RunObject::start_run(PinnedThread& pinned) {
  WOA_RETURN_IF_ERROR(owned_->start([this](const Completion& completion) { complete(completion); }));
  return pinned.pin(host_processors(arguments_.cores)).with_context("cores host");
}

// The system ends processes of nodes with the thread that started them: it must be the one that lives as long as they.
Status RunObject::start_driver() {
  std::promise<Status> started;
  WOA_RETURN_IF_ERROR(
      start_thread(driver_, "starting the thread that drives the run", [this, &started](const std::stop_token& stop) {
        PinnedThread pinned;
        owner_ = std::this_thread::get_id();
        const Status status = or_no_memory([&] { return start_run(pinned); });
        started.set_value(status);
        if (status.ok()) drive(stop);
      }));
  const Status status = started.get_future().get();
  if (!status.ok()) driver_.join();
  return status;
}

void RunObject::stop_driver() {
  if (!driver_.joinable()) return;
  driver_.request_stop();
  owned_->run().wake();
  driver_.join();
  owner_ = std::thread::id();
}

Status RunObject::check_process() const {
  if (count_forks() == born_) return {};
  return {Code::kUnsupported, "this process was forked after the run had started; start a run of its own here"};
}

Status RunObject::check_thread() const {
  if (own_thread_ || drives()) return {};
  return {Code::kInvalid, "the thread that started the run drives it, and makes all calls; start it with thread = own"};
}

Status RunObject::check_wait() const {
  return calls_back() ? Status(Code::kInvalid, "a callback cannot wait for the run that calls it") : Status();
}

// ---- Inputs and outputs ----

Result<std::uint64_t> RunObject::fill_input(std::uint64_t instance, std::uint32_t input, std::span<std::byte> room) {
  const Submission& submission = submissions_[instance];
  const PortShape& shape = inputs_[input];
  woa_output view;
  shape.reserve(room.data(), view);
  std::ranges::copy(input_views_[input].dims, view.dims);
  Code of_the_program = Code::kOk;  // that no kernel may answer
  const CallBack calls(*this);
  const Status filled = call_kernel("fill", [&](woa_error& error) {
    const woa_status answer = submission.fill(submission.user, instance, input, &view, &error);
    if (to_code(answer) != Code::kBrokenContract || answer >= WOA_BACK_PRESSURED) return answer;
    of_the_program = static_cast<Code>(answer);
    return WOA_INVALID;
  });
  if (of_the_program != Code::kOk) return Status(of_the_program, filled.message());
  if (!filled.ok()) return filled;
  if (view.bytes > view.capacity)
    return {Code::kTooLarge, counted(view.bytes, "byte") + " given, but there is room for " +
                                 std::to_string(view.capacity) + "; raise `max` of this input in the graph"};
  if (!shape.fits(view)) return why_unfit(plan_.stages[kSourceStage].outputs[input].type, view);
  shape.write_prefix(room.data(), view);
  return shape.payload_bytes(view);
}

void RunObject::show(const Completion& completion) {
  for (std::size_t p = 0; p < completion.outputs.size(); ++p) {
    const GraphOutput& output = completion.outputs[p];
    output_views_[p] = {};
    output_views_[p].absent = 1;
    if (!output.absent) (void)outputs_[p].show(output.payload, output_views_[p]);  // the sink has checked it
  }
}

// Needs mutex_.
void RunObject::count_end(const Completion& completion) {
  if (completion.failure != nullptr) {
    ++failed_;
    const auto copy = [&] { return *completion.failure; };
    if (failures_.size() < kKeptFailures)
      failures_.push_back({completion.instance, if_memory(copy, Failure{completion.failure->code, {}, {}})});
    return;
  }
  ++succeeded_;
  latencies_.add(completion.latency_ns);
  for (std::size_t p = 0; p < completion.outputs.size(); ++p) {
    output_counts_[p].absent += output_views_[p].absent;
    output_counts_[p].bytes += output_views_[p].bytes;
  }
}

// Called by Run, in the thread that drives.
void RunObject::complete(const Completion& ended) {
  Completion completion = ended;
  Failure failure;
  if (ended.failure != nullptr) {
    const auto named = [&] {
      return Failure{ended.failure->code, ended.failure->stage, by_option_names(ended.failure->message)};
    };
    failure = if_memory(named, Failure{ended.failure->code, {}, {}});
    completion.failure = &failure;
  }
  show(completion);
  End& end = end_of(completion.instance);
  {
    const std::lock_guard lock(mutex_);
    last_ended_ns_ = now_ns();
    note_status();  // the failure of the run ends its instances
    count_end(completion);
    // Another thread may give the outputs back before the callback returns.
    if (completion.failure == nullptr) keep(end, true);
  }
  const woa_taken taken = tell(completion);
  {
    const std::lock_guard lock(mutex_);
    if (completion.failure == nullptr && taken != WOA_KEEP) keep(end, false);
    if (completion.failure == nullptr && end.kept) owned_->run().keep();
    ++told_;  // whoever waits may read what the callback wrote
    ++progress_;
    end.told = true;
    end.changed.notify_all();
    if (told_ == submitted_) drained_.notify_all();
  }
  changed_.notify_all();
}

woa_taken RunObject::tell(const Completion& completion) {
  if (on_completion_ == nullptr) return WOA_DONE;
  const std::size_t count = completion.outputs.size();
  const Failure* const failure = completion.failure;
  const woa_completion told{completion.instance,
                            submissions_[completion.instance].user,
                            completion.latency_ns,
                            failure == nullptr ? WOA_OK : static_cast<woa_status>(failure->code),
                            failure == nullptr ? "" : failure->stage.c_str(),
                            failure == nullptr ? "" : failure->message.c_str(),
                            count == 0 ? nullptr : output_views_.data(),
                            count};
  const CallBack calls(*this);
  return on_completion_(user_, &told);
}

// ---- Whoever drives ----

// Needs mutex_.
void RunObject::wake_driver() {
  has_orders_ = true;
  owned_->run().wake();
}

// Needs mutex_.
void RunObject::leave_order(std::function<void()> order) {
  orders_.push_back(std::move(order));
  wake_driver();
}

bool RunObject::carry_out_orders() {
  if (!has_orders_.load()) return false;
  std::vector<std::function<void()>> orders;
  std::uint64_t end = 0;
  {
    const std::lock_guard lock(mutex_);
    orders.swap(orders_);
    end = own_thread_ ? admitted() : 0;
    has_orders_ = false;
  }
  while (pushed_ < end) push_or_fail(pushed_++);
  fail_line();
  for (const auto& order : orders) order();
  return true;
}

// Needs mutex_. By whoever drives.
void RunObject::note_status() {
  if (!status_.ok() || owned_->run().status().ok()) return;
  status_ = owned_->run().status();
  has_orders_ = true;  // for those in line
}

// After each step of the run: places that became free, and its end.
void RunObject::note_progress() {
  const Run& run = owned_->run();
  if (run.oldest() == oldest_ && run.status().ok() == status_.ok()) return;  // only this thread changes them
  Sleepers sleepers;
  {
    const std::lock_guard lock(mutex_);
    oldest_ = run.oldest();
    ++progress_;
    note_status();
    admit_line(sleepers);
  }
  sleepers.wake();
  changed_.notify_all();
}

void RunObject::drive(const std::stop_token& stop) {
  Run& run = owned_->run();
  while (!stop.stop_requested() && run.status().ok() && !counted_) {
    const bool ordered = carry_out_orders();
    const std::size_t done = run.do_work();
    note_progress();
    if (!ordered && done == 0) run.wait(WOA_FOREVER, [&] { return has_orders_.load() || stop.stop_requested(); });
    note_progress();
  }
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested() || has_orders_.load()) {
    lock.unlock();
    carry_out_orders();  // those left behind by a run that has ended
    lock.lock();
    if (!has_orders_.load() && !stop.stop_requested()) changed_.wait_for(lock, std::chrono::milliseconds(20));
  }
  driver_left_ = true;
}

// In this thread, or by the one that drives; blocks until it is done.
template <class Order>
Status RunObject::carry_out(Order order) {
  if (drives()) {
    const Status status = order();
    note_progress();
    return status;
  }
  std::promise<Status> done;
  std::future<Status> result = done.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (driver_left_) return order();  // nothing runs any more
    leave_order([&] { done.set_value(or_no_memory(order)); });
  }
  return result.get();
}

// Needs mutex_.
void RunObject::keep(End& end, bool kept) {
  kept_ += static_cast<std::uint64_t>(kept) - static_cast<std::uint64_t>(std::exchange(end.kept, kept));
}

Status RunObject::give_back(std::uint64_t instance) {
  End& end = end_of(instance);
  {
    const std::lock_guard lock(mutex_);
    if (instance < oldest_ || instance >= oldest_ + plan_.window || !end.kept)
      return {Code::kNotFound, "the outputs of instance " + std::to_string(instance) + " are not kept"};
    keep(end, false);
  }
  try {
    return carry_out([&] {
      (void)owned_->run().give_back(instance);
      return Status();
    });
  } catch (const std::bad_alloc&) {  // no order was left
    const std::lock_guard lock(mutex_);
    keep(end, true);
    throw;
  }
}

Status RunObject::cancel(std::uint64_t instance, const std::string& why) {
  if (instance == WOA_FOREVER) {
    owned_->run().cancel(why);
    return {};
  }
  const auto order = [this, instance, why]() -> Status {
    if (owned_->run().cancel(instance, why)) return {};
    return {Code::kNotFound, "instance " + std::to_string(instance) + " is not in flight"};
  };
  if (own_thread_ || drives()) return carry_out(order);
  const std::lock_guard lock(mutex_);
  leave_order([order] { (void)or_no_memory(order); });
  return {};
}

void RunObject::count(woa_statistics& statistics) {
  Latencies latencies;  // sorted without the lock
  {
    const std::lock_guard lock(mutex_);
    latencies = latencies_;
    statistics.submitted = submitted_;
    statistics.succeeded = succeeded_;
    statistics.failed = failed_;
    statistics.in_flight = submitted_ - succeeded_ - failed_;
    statistics.kept = kept_;
  }
  const Latencies::Summary latency = latencies.summary();
  statistics.latency_min_ns = latency.min;
  statistics.latency_p50_ns = latency.p50;
  statistics.latency_p99_ns = latency.p99;
  statistics.latency_max_ns = latency.max;
}

Result<nlohmann::json> RunObject::finish() {
  WOA_RETURN_IF_ERROR(check_wait());
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return {Code::kInvalid, kFinished};
    if (std::exchange(finishing_, true)) return {Code::kInvalid, "another thread finishes the run"};
  }
  const Status counted = or_no_memory([&]() -> Status {
    WOA_RETURN_IF_ERROR(drain_to_finish());
    return carry_out([this] {
      counted_.emplace(owned_->run().finish());
      return Status();
    });
  });
  if (!counted.ok()) {  // the program may try again
    const std::lock_guard lock(mutex_);
    finishing_ = false;
    return counted;
  }
  stop_driver();
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
  drained_.notify_all();
  const Result<RunReport>& report = *counted_;
  RunResult result;
  owned_->describe(result);
  result.instances = submitted_;
  result.wall_s = submitted_ == 0 ? 0 : static_cast<double>(last_ended_ns_ - first_submitted_ns_) / 1e9;
  result.latencies = latencies_;
  result.failed = failed_;
  result.failures = failures_;
  result.outputs = output_counts_;
  result.status = report.status();
  if (report.ok()) result.report = &*report;
  if (report.ok() && !arguments_.trace.empty())
    WOA_RETURN_IF_ERROR(write_trace(*result.plan, *report, arguments_.trace));
  if (!report.ok()) return report.status();
  nlohmann::json object = to_json(result);
  if (nlohmann::json& limit = object["limit"]; !limit.is_null())
    limit["remedy"] = by_option_names(limit["remedy"].get_ref<const std::string&>());
  return object;
}

}  // namespace woa
