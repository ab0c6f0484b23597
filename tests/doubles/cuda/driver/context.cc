#include "tests/doubles/cuda/driver/context.h"

#include <cstdio>
#include <thread>

namespace woa::cuda_double {

thread_local ContextState* current_context = nullptr;
thread_local bool in_host_function = false;

Driver& driver() {
  static Driver* const one = new Driver;  // never destroyed: threads of streams may outlive `main`
  return *one;
}

void ContextState::fail(cuda::Result code, std::string_view text, const StreamState& stream) {
  cuda::Result none = cuda::kSuccess;
  const StreamState* nobody = nullptr;
  if (!options().ignore.sticky) failed_.compare_exchange_strong(nobody, &stream);
  if (!error_.compare_exchange_strong(none, code)) return;
  const std::string line =
      "woa_cuda_double: note: the context failed with error " + std::to_string(code) + ": " + std::string(text) + "\n";
  std::fputs(line.c_str(), stderr);
  if (!options().ignore.sticky) stop_.store(true);
}

cuda::Result ContextState::error() {
  if (options().ignore.sticky) return error_.exchange(cuda::kSuccess);
  const cuda::Result error = error_.load();
  if (error == cuda::kSuccess) return error;
  told_.store(true);
  const std::lock_guard lock(mutex_);
  for (const auto& stream : streams_)
    while (stream->storing()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  return error;
}

StreamState* ContextState::add_stream() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t seed = options().seed * 1000003 + ++driver().streams;
  return streams_.emplace_back(std::make_unique<StreamState>(*this, seed)).get();
}

bool ContextState::resident() {
  const std::lock_guard lock(mutex_);
  for (const auto& stream : streams_)
    if (stream->resident()) return true;
  return false;
}

void ContextState::end(bool at_once) {
  destroyed_.store(true);
  if (at_once) stop_.store(true);
  const std::lock_guard lock(mutex_);
  for (const auto& stream : streams_) stream->close();
  for (const auto& stream : streams_) stream->join();
  memory_map().remove_all_of(this);
}

cuda::Result enter(std::string_view function) {
  if (in_host_function) return broken("host_function", function, "called within a host function of cuLaunchHostFunc");
  if (driver().forked.load() || !driver().initialized.load()) return cuda::kNotInitialized;
  return cuda::kSuccess;
}

cuda::Result enter_even_if_failed(std::string_view function, ContextState*& context) {
  if (const cuda::Result result = enter(function); result != cuda::kSuccess) return result;
  context = current_context;
  if (context == nullptr) return cuda::kInvalidContext;
  return context->destroyed() ? cuda::kContextIsDestroyed : cuda::kSuccess;
}

cuda::Result enter(std::string_view function, ContextState*& context) {
  const cuda::Result result = enter_even_if_failed(function, context);
  return result == cuda::kSuccess ? context->error() : result;
}

cuda::Result enter_unless_resident(std::string_view function, ContextState*& context) {
  if (const cuda::Result result = enter(function, context); result != cuda::kSuccess) return result;
  if (!context->resident()) return cuda::kSuccess;
  return broken("resident", function, "a kernel that stays is running: end it first");
}

std::string leaks_of(const ContextState& context) {
  std::string text;
  const auto add = [&](std::size_t count, const char* what) {
    if (count != 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  const auto of = [&](const auto& object) { return object.context == &context; };
  add(driver().streams_of.count(of), "streams");
  add(driver().events.count(of), "events");
  add(driver().modules.count(of), "modules");
  std::array<std::size_t, 4> ranges{};
  for (const Range* range : memory_map().all_of(&context)) ++ranges[static_cast<std::size_t>(range->origin)];
  add(ranges[static_cast<std::size_t>(Origin::kDevice)], "device allocations");
  add(ranges[static_cast<std::size_t>(Origin::kHostAlloc)], "host allocations");
  add(ranges[static_cast<std::size_t>(Origin::kRegistered)], "registrations");
  return text;
}

void end_objects_of(const ContextState& context) {
  const auto of = [&](const auto& object) { return object.context == &context; };
  driver().streams_of.end_all(of);
  driver().events.end_all(of);
  driver().modules.end_all(of);
  driver().functions.end_all(of);
}

void end_process() {
  if (driver().forked.load()) return;
  driver().contexts.each([](ContextState& context) {
    if (!context.endless.load() && context.error() == cuda::kSuccess) {
      const std::string leaks = leaks_of(context);
      broken("leak", "exit", "a context was not destroyed" + (leaks.empty() ? "" : "; it has " + leaks));
    }
    context.end(true);
  });
}

}  // namespace woa::cuda_double
