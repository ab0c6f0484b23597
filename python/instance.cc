#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "python/block.h"
#include "python/errors.h"
#include "python/kernel.h"
#include "python/run.h"
#include "python/waiting.h"

namespace woa::python {
namespace nb = nanobind;

namespace {

constexpr std::uint64_t kMostKeptBytes = 16 << 10;  // copied within the time of a wake-up

using Clock = std::chrono::steady_clock;

Clock::time_point after(double seconds) {
  if (seconds < 0 || seconds > 1e9) return Clock::time_point::max();
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Instance::Instance(std::shared_ptr<Run> run, const nb::tuple& values, bool views)
    : run_(std::move(run)), views_(views), written_(run_->inputs_.empty()) {
  inputs_.reserve(run_->inputs_.size());
  for (std::size_t k = 0; k < run_->inputs_.size(); ++k) inputs_.emplace_back(run_->inputs_[k], values[k]);
}

Instance::~Instance() {
  run_->waiting_bytes_ -= copied_bytes_;
  if (inputs_.empty() && !thrown_.is_valid() && !raised_.is_valid() && when_done_.empty()) return;
  const GilTaken gil;
  if (!gil) {  // Python's objects are left as they are
    abandon(std::move(inputs_));
    abandon(std::move(when_done_));
    abandon(std::move(thrown_));
    abandon(std::move(raised_));
    return;
  }
  inputs_.clear();
  thrown_.reset();
  raised_.reset();
  when_done_.clear();
}

// ---- In the library's thread ----

woa_status Instance::write(std::uint32_t input, woa_output& room, woa_error& error) {
  const woa_status status = inputs_[input].write(room, error, run_, thrown_);
  const std::lock_guard lock(mutex_);
  if (++written_count_ < inputs_.size()) return status;
  written_ = true;
  written_changed_.notify_all();
  return status;
}

bool Instance::end(const woa_completion& completion, bool is_awaited) {
  const bool kept = completion.status == WOA_OK && is_awaited && views_;
  number_ = completion.instance;
  latency_ns_ = completion.latency_ns;
  if (completion.status == WOA_KERNEL_FAILED) raised_ = take_exception(completion.instance);
  try {
    std::shared_ptr<const void> owner;
    if (kept) {
      ++run_->kept_;
      owner = std::shared_ptr<Run::Kept>(new Run::Kept{run_, completion.instance});
    }
    const std::string stage = *completion.stage == '\0' ? "" : "stage '" + std::string(completion.stage) + "': ";
    if (is_awaited) take({completion.outputs, completion.output_count}, owner);
    conclude(completion.status, stage + completion.message);
  } catch (const std::bad_alloc&) {
    conclude(WOA_EXHAUSTED, "there is no memory for copies of the outputs; copy=False takes views");
  }
  return kept;
}

// Nobody reads the outputs yet. Copies them, unless `owner` keeps them.
void Instance::take(std::span<const woa_input> outputs, const std::shared_ptr<const void>& owner) {
  for (const woa_input& from : outputs) {
    Output to{from.absent != 0, const_cast<std::uint8_t*>(from.data), from.bytes, {}, owner};
    std::copy_n(from.dims, WOA_MAX_RANK, to.dims.begin());
    if (owner == nullptr && to.bytes != 0) {
      const std::shared_ptr<std::uint8_t[]> copy(new std::uint8_t[to.bytes]);
      std::memcpy(copy.get(), from.data, to.bytes);
      to.data = copy.get();
      to.owner = copy;
      copied_bytes_ += to.bytes;
      run_->waiting_bytes_ += to.bytes;
    }
    outputs_.push_back(std::move(to));
  }
}

void Instance::conclude(woa_status status, const std::string& message) {
  std::vector<nb::object> tell;
  {
    const std::lock_guard lock(mutex_);
    status_ = status;
    message_ = message;
    ended_ = true;
    tell.swap(when_done_);
  }
  changed_.notify_all();
  written_changed_.notify_all();
  if (tell.empty()) return;
  const GilTaken gil;
  if (!gil) return abandon(std::move(tell));
  for (nb::object& function : tell) {
    try {
      function();
    } catch (nb::python_error& failed) {
      failed.discard_as_unraisable(function);
    }
  }
  tell.clear();
}

// ---- In threads of Python ----

bool Instance::done() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

// False: `seconds` have passed first. It also returns when the instance has ended.
bool Instance::wait_for(double seconds, std::condition_variable& changed, const bool& flag) {
  if (run_->process_ != getpid()) raise_status(WOA_UNSUPPORTED, kForked);
  if (run_->drives() && !done())
    raise_status(WOA_INVALID, "a function that the library's thread calls cannot wait for what that thread does");
  if (!done()) run_->refuse_kernels();
  const auto deadline = after(seconds);
  const auto patient = Clock::now() + kPatience;
  bool blocked = false;
  const bool done = wait_in_slices(deadline, [&] {
    std::unique_lock lock(mutex_);
    const auto until = std::min(deadline, Clock::now() + kSlice);
    if (changed.wait_until(lock, until, [&] { return flag || ended_; })) return true;
    return blocked = run_->kept_ >= run_->overlap_ && Clock::now() > patient;
  });
  if (blocked) raise("blocked_by_views", run_->kept_.load());
  return done;
}

bool Instance::keep_small_inputs() {
  std::uint64_t bytes = 0;
  for (const Input& input : inputs_) {
    if (input.is_function()) return false;
    bytes += input.bytes();
  }
  if (bytes > kMostKeptBytes) return false;
  for (Input& input : inputs_) input.keep();
  return true;
}

void Instance::wait_until_written() {
  wait_for(-1, written_changed_, written_);
  inputs_.clear();  // nobody writes them any more
}

void Instance::wait_for_end(double seconds) {
  if (!wait_for(seconds, changed_, ended_)) raise("timed_out", number(), seconds);
  inputs_.clear();
}

nb::tuple Instance::result(double seconds) {
  wait_for_end(seconds);
  const nb::object failed = failure();
  if (!failed.is_none()) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(failed.ptr())), failed.ptr());
    throw nb::python_error();
  }
  nb::list values;
  for (std::size_t k = 0; k < outputs_.size(); ++k) values.append(value(k));
  return nb::tuple(values);
}

nb::object Instance::exception(double seconds) {
  wait_for_end(seconds);
  return failure();
}

nb::object Instance::failure() const {
  if (status_ == WOA_OK) return nb::none();
  const nb::object& raised = raised_.is_valid() ? raised_ : thrown_;
  const nb::object cause = raised.is_valid() ? raised : nb::none();
  return nb::module_::import_("woa._errors").attr("failure")(woa_status_name(status_), message_.c_str(), cause);
}

nb::object Instance::value(std::size_t output) const {
  const Output& from = outputs_[output];
  const Port& port = run_->outputs_[output];
  if (from.absent) return nb::none();
  if (port.is_bytes && !views_) return nb::bytes(from.data, from.bytes);
  std::array<std::uint64_t, WOA_MAX_RANK> shape{from.bytes};
  const std::size_t rank = port.is_bytes ? 1 : port.dims.size();
  if (!port.is_bytes) std::copy_n(from.dims.begin(), rank, shape.begin());
  const nb::object block = nb::cast(Block(port, from.data, {shape.data(), rank}, !views_, from.owner));
  return Block::view(block, port.is_bytes);
}

bool Instance::cancel(const std::string& why) { return run_->cancel(number_, why); }

void Instance::call_when_done(nb::object function) {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) {
      when_done_.push_back(std::move(function));
      return;
    }
  }
  function();
}

}  // namespace woa::python
