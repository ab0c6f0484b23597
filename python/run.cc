#include "python/run.h"

#include <unistd.h>

#include "python/errors.h"
#include "python/kernel.h"
#include "python/waiting.h"

namespace woa::python {
namespace nb = nanobind;

using Clock = std::chrono::steady_clock;

Run::Run(PlanHandle plan, std::uint64_t overlap)
    : plan_(std::move(plan)),
      inputs_(ports_of(plan_.get(), WOA_IN)),
      outputs_(ports_of(plan_.get(), WOA_OUT)),
      overlap_(overlap),
      process_(getpid()) {}

std::shared_ptr<Run> Run::start(PlanHandle plan, Options options, std::uint64_t overlap, nb::object on_message) {
  std::shared_ptr<Run> run(new Run(std::move(plan), overlap));
  run->callbacks_->to = run.get();
  run->callbacks_->on_message = std::move(on_message);
  options.emplace_back("thread", "own");
  run->start(std::move(options));
  return run;
}

void Run::start(Options options) {
  auto started = interruptibly<Started>(
      [counted = std::make_shared<Helping>(), callbacks = callbacks_, plan = plan_, options = std::move(options)] {
        std::vector<woa_option> given;
        for (const auto& [name, value] : options) given.push_back({name.c_str(), value.c_str()});
        const woa_run_setup setup{sizeof setup, given.data(), given.size(), complete, callbacks.get(), tell};
        woa_run* run = nullptr;
        const woa_status status = woa_run_start(plan.get(), &setup, &run);
        std::string message = status == WOA_OK ? "" : woa_message();
        if (const GilTaken gil; gil) {
          callbacks->on_message.reset();
        } else {
          abandon(std::move(callbacks->on_message));
          woa_run_free(std::exchange(run, nullptr));
        }
        const auto release = [callbacks](woa_run* open) { without_gil([&] { woa_run_free(open); }); };
        return Started{{run, release}, status, std::move(message)};
      });
  run_ = std::move(started.run);
  if (started.status != WOA_OK) raise_status(started.status, started.message);
}

Run::Kept::~Kept() {
  --run->kept_;
  if (run->finished_) return;
  without_gil([&] { (void)run->with([&](woa_run* open) { return woa_run_give_back(open, instance); }); });
}

template <class Body>
std::pair<woa_status, std::string> Run::with(Body body) {
  if (process_ != getpid()) return {WOA_UNSUPPORTED, kForked};
  const std::shared_lock lock(life_, std::try_to_lock);
  if (!lock.owns_lock() || finished_) return {WOA_INVALID, kClosed};
  const woa_status status = body(run_.get());
  return {status, status == WOA_OK ? "" : woa_message()};
}

// ---- Callbacks, in the library's thread ----

woa_status Run::fill(void* user, std::uint64_t /*number*/, std::uint32_t input, woa_output* room, woa_error* error) {
  Instance& instance = *static_cast<Instance*>(user);
  Run& run = *instance.run_;
  run.driver_ = std::this_thread::get_id();
  run.filling_ = true;
  const woa_status status = instance.write(input, *room, *error);
  run.filling_ = false;
  return status;
}

woa_taken Run::complete(void* user, const woa_completion* completion) {
  Run& run = *static_cast<Callbacks*>(user)->to;
  run.driver_ = std::this_thread::get_id();
  std::shared_ptr<Instance> instance;
  {
    const std::lock_guard lock(run.mutex_);
    const auto found = run.open_.find(static_cast<Instance*>(completion->user));
    instance = std::move(found->second);
    run.open_.erase(found);
  }
  return instance->end(*completion, instance.use_count() > 1) ? WOA_KEEP : WOA_DONE;
}

void Run::tell(void* user, const char* text) {
  const GilTaken gil;
  if (!gil) return;
  const nb::object& function = static_cast<Callbacks*>(user)->on_message;
  if (!function.is_valid() || function.is_none()) return;
  try {
    function(text);
  } catch (nb::python_error& failed) {
    failed.discard_as_unraisable("on_message");
  }
}

// ---- Submissions ----

// Waits kSlice at most for a place in the window.
std::pair<woa_status, std::string> Run::push(const std::shared_ptr<Instance>& instance, std::uint64_t deadline_ns) {
  constexpr auto kSlice_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(kSlice).count());
  {
    const std::lock_guard lock(mutex_);
    open_.emplace(instance.get(), instance);
  }
  std::uint64_t number = 0;
  auto pushed = with([&](woa_run* run) {
    if (closing_) return WOA_INVALID;
    return woa_run_submit_within(run, fill, instance.get(), deadline_ns, kSlice_ns, &number);
  });
  if (pushed.first == WOA_OK) {
    instance->number_ = number;
    return pushed;
  }
  if (closing_) pushed.second = kClosed;
  const std::lock_guard lock(mutex_);
  open_.erase(instance.get());
  return pushed;
}

bool Run::is_in_kernel() const { return firing_driver != std::thread::id() && firing_driver == driver_.load(); }

void Run::refuse_kernels() const {
  if (is_in_kernel()) raise_status(WOA_INVALID, kInKernel);
}

// Waits for a place in the window.
void Run::admit(const std::shared_ptr<Instance>& instance, std::uint64_t deadline_ns) {
  if (drives() && filling_)
    raise_status(WOA_INVALID, "a function that writes an input cannot submit another instance of its run");
  refuse_kernels();
  std::pair<woa_status, std::string> pushed;
  const auto patient = Clock::now() + kPatience;
  bool blocked = false;
  wait_in_slices(Clock::time_point::max(), [&] {
    pushed = push(instance, deadline_ns);
    if (pushed.first != WOA_BACK_PRESSURED) return true;
    return blocked = Clock::now() > patient && only_views_hold_the_window();
  });
  if (blocked) raise("blocked_by_views", kept_.load());
  if (pushed.first != WOA_OK) raise_status(pushed.first, pushed.second);
}

std::shared_ptr<Instance> Run::submit(const nb::tuple& values, std::uint64_t deadline_ns, bool views) {
  auto instance = std::make_shared<Instance>(shared_from_this(), values, views);
  const bool kept = instance->keep_small_inputs();
  admit(instance, deadline_ns);
  if (!kept && !drives()) instance->wait_until_written();
  return instance;
}

nb::tuple Run::call(const nb::tuple& values, std::uint64_t deadline_ns, bool views) {
  const auto instance = std::make_shared<Instance>(shared_from_this(), values, views);
  admit(instance, deadline_ns);
  return instance->result(-1);
}

bool Run::only_views_hold_the_window() {
  const woa_statistics now = count();
  return kept_ > 0 && now.in_flight == 0;
}

// ---- The end ----

woa_statistics Run::count() {
  woa_statistics now{};
  now.size = sizeof now;
  const auto counted = with([&](woa_run* run) { return woa_run_statistics(run, &now); });
  return counted.first == WOA_OK ? now : last_;
}

nb::dict Run::statistics() {
  if (process_ != getpid()) raise_status(WOA_UNSUPPORTED, kForked);
  const woa_statistics now = without_gil([&] { return count(); });
  nb::dict all;
  all["submitted"] = now.submitted;
  all["succeeded"] = now.succeeded;
  all["failed"] = now.failed;
  all["in_flight"] = now.in_flight;
  all["kept"] = kept_.load();
  all["latency_min_ns"] = now.latency_min_ns;
  all["latency_p50_ns"] = now.latency_p50_ns;
  all["latency_p99_ns"] = now.latency_p99_ns;
  all["latency_max_ns"] = now.latency_max_ns;
  return all;
}

void Run::cancel(const std::string& why) {
  const auto cancelled =
      without_gil([&] { return with([&](woa_run* run) { return woa_run_cancel(run, WOA_FOREVER, why.c_str()); }); });
  if (cancelled.first != WOA_OK) raise_status(cancelled.first, cancelled.second);
}

bool Run::cancel(std::uint64_t instance, const std::string& why) {
  const auto order = [&](woa_run* run) { return woa_run_cancel(run, instance, why.c_str()); };
  return without_gil([&] { return with(order); }).first == WOA_OK;
}

// Waits kSlice at most for what is in flight, also of a run that has failed. Needs closing_, or more would come.
bool Run::is_drained() {
  const auto slice = static_cast<std::uint64_t>(std::chrono::nanoseconds(kSlice).count());
  return with([&](woa_run* run) { return woa_run_drain(run, slice); }).first != WOA_TIMED_OUT;
}

void Run::drain() {
  refuse_kernels();
  wait_in_slices(Clock::time_point::max(), [&] { return is_drained(); });
}

std::pair<woa_status, std::string> Run::end(std::string* json) {
  std::pair<woa_status, std::string> ended(WOA_INVALID, kClosed);
  const bool ends = without_gil([&] {
    last_ = count();
    const std::unique_lock lock(life_);
    if (finished_) return false;
    char* text = nullptr;
    ended.first = woa_run_finish(run_.get(), json == nullptr ? nullptr : &text);
    finished_ = true;
    ended.second = ended.first == WOA_OK ? "" : woa_message();
    if (text != nullptr) *json = text;
    woa_text_free(text);
    return true;
  });
  if (!ends) return ended;
  forget_firings(driver_, run_);
  if (kept_ == 0) run_.reset();  // else it goes with the last view
  return ended;
}

std::string Run::finish() {
  if (process_ != getpid()) raise_status(WOA_UNSUPPORTED, kForked);
  if (closing_.exchange(true)) raise_status(WOA_INVALID, kClosed);
  try {
    drain();
  } catch (...) {
    closing_ = false;
    throw;
  }
  std::string json;
  const auto ended = end(&json);
  if (ended.first != WOA_OK) raise_status(ended.first, ended.second);
  return json;
}

void Run::close(const std::string& why) {
  if (process_ != getpid() || finished_) return;
  closing_ = true;
  without_gil([&] { (void)with([&](woa_run* run) { return woa_run_cancel(run, WOA_FOREVER, why.c_str()); }); });
  if (drives() || is_in_kernel()) {  // the end waits for this thread
    start_detached([self = shared_from_this(), counted = std::make_shared<Helping>()] {
      while (!self->is_drained()) continue;
      (void)self->end(nullptr);
    });
    return;
  }
  drain();
  (void)end(nullptr);
}

}  // namespace woa::python
