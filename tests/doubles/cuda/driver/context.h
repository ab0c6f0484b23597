// Contexts, their streams, events, modules and functions, and the handles that callers hold.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpu/cuda/cuda_api.h"
#include "tests/doubles/common/handles.h"
#include "tests/doubles/cuda/driver/memory.h"
#include "tests/doubles/cuda/driver/options.h"
#include "tests/doubles/cuda/driver/rules.h"
#include "tests/doubles/cuda/driver/stream.h"
#include "tests/doubles/cuda/ptx/interpreter.h"

namespace woa::cuda_double {

class ContextState {
 public:
  // A sticky error of the stream: all work ends, and every later call returns `code`.
  void fail(cuda::Result code, std::string_view text, const StreamState& stream);
  // It failed, but on another stream than this, and no call has told of it: as with drivers, asking this one does not.
  [[nodiscard]] bool hides_error_from(const StreamState& stream) const {
    return !told_.load() && failed_.load() != nullptr && failed_.load() != &stream;
  }
  // The sticky error. No operation stores any more once this has returned it.
  cuda::Result error();
  [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }
  [[nodiscard]] bool stopped() const { return stop_.load(); }
  [[nodiscard]] bool destroyed() const { return destroyed_.load(); }

  StreamState* add_stream();
  [[nodiscard]] bool resident();  // a kernel that stays runs in one of the streams
  void end(bool at_once);         // waits for the streams' work, unless at once; all memory is given back

  std::atomic<bool> endless{false};  // the double itself made a kernel endless, or slow
  // A slow kernel has ended: nothing stores any more, where a device would write to pages that the host has given up.
  std::atomic<bool> mute{false};
  std::atomic<std::size_t> stack_bytes{1024};  // of a thread

 private:
  std::atomic<bool> stop_{false}, destroyed_{false}, told_{false};
  std::atomic<const StreamState*> failed_{nullptr};
  std::atomic<cuda::Result> error_{cuda::kSuccess};
  std::mutex mutex_;
  std::vector<std::unique_ptr<StreamState>> streams_;  // destroyed ones, too: their work goes on
};

struct StreamHandle {
  ContextState* context;
  StreamState* state;
};

struct EventState {
  ContextState* context;
  bool timing;
  std::mutex mutex = {};
  std::shared_ptr<Recording> recording = {};  // null: never recorded

  std::shared_ptr<Recording> now() {
    const std::lock_guard lock(mutex);
    return recording;
  }
};

struct ModuleState {
  ContextState* context;
  std::unique_ptr<ptx::Module> code;
  std::vector<Range*> variables = {};
  Range launches = {};  // its users are the launches under way
};

struct FunctionState {
  ContextState* context;
  ModuleState* module;
  const ptx::Entry* entry;
  std::atomic<unsigned> most_dynamic_shared;
};

template <class T>
class Handles : public doubles::Handles<T> {
 public:
  using doubles::Handles<T>::Handles;

  // An object that lives, of this context unless null; else null, and `result` says why.
  T* find(void* handle, const ContextState* context, std::string_view function, cuda::Result& result) {
    std::string why;
    T* const object = doubles::Handles<T>::find(handle, why);
    if (object == nullptr) {
      result = broken("handle", function, why);
      return nullptr;
    }
    if constexpr (requires { object->context; }) {
      if (context != nullptr && object->context != context) {
        result = broken("handle", function, std::string("this ") + this->name() + " is another context's");
        return nullptr;
      }
    }
    return object;
  }
};

struct Driver {
  std::atomic<bool> initialized{false}, forked{false}, lost{false};
  std::atomic<std::uint64_t> launches{0}, allocations{0}, streams{0};
  std::atomic<std::uint64_t> written_values{0}, launch_calls{0}, registrations{0};  // calls
  Handles<ContextState> contexts{1, "context"};
  Handles<StreamHandle> streams_of{2, "stream"};
  Handles<EventState> events{3, "event"};
  Handles<ModuleState> modules{4, "module"};
  Handles<FunctionState> functions{5, "function"};
};
Driver& driver();

extern thread_local ContextState* current_context;
extern thread_local bool in_host_function;

// Checks that the call is not in a host function, not in a forked child, and behind cuInit.
cuda::Result enter(std::string_view function);
// Checks also that a context is current, and has not failed.
cuda::Result enter(std::string_view function, ContextState*& context);
cuda::Result enter_even_if_failed(std::string_view function, ContextState*& context);
// Checks also that no kernel stays: the call would wait for it, or hang.
cuda::Result enter_unless_resident(std::string_view function, ContextState*& context);

// All objects of a context that are alive, as text; empty: none.
std::string leaks_of(const ContextState& context);
void end_objects_of(const ContextState& context);

// Reports what is alive, and ends all streams. At exit.
void end_process();

}  // namespace woa::cuda_double
