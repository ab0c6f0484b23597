// Streams, events, asynchronous copies, values and host functions.
#include <algorithm>
#include <cstring>
#include <thread>

#include "tests/doubles/cuda/driver/context.h"
#include "tests/doubles/cuda/driver/exports.h"

namespace woa::cuda {
namespace {

using cuda_double::broken;
using cuda_double::ContextState;
using cuda_double::driver;
using cuda_double::enter;
using cuda_double::enter_even_if_failed;
using cuda_double::enter_unless_resident;
using cuda_double::EventState;
using cuda_double::Kind;
using cuda_double::Late;
using cuda_double::memory_map;
using cuda_double::options;
using cuda_double::Range;
using cuda_double::Recording;
using cuda_double::StreamHandle;
using cuda_double::StreamState;
using cuda_double::Uses;

constexpr unsigned kIgnoredOften = 4;  // one in four of what is dropped by chance

StreamHandle* find_stream(std::string_view function, const ContextState* context, Stream stream, Result& result) {
  if (stream == nullptr) {
    result = broken("legacy_stream", function, "the null stream waits for all others: use a stream of your own");
    return nullptr;
  }
  return driver().streams_of.find(stream, context, function, result);
}

// The checks of every call on a stream.
StreamState* enter_stream(std::string_view function, Stream stream, ContextState*& context, Result& result) {
  result = enter(function, context);
  if (result != kSuccess) return nullptr;
  const StreamHandle* const handle = find_stream(function, context, stream, result);
  return handle == nullptr ? nullptr : handle->state;
}

// Bytes on their way to host memory, which the host does not see yet.
class LateCopy final : public ptx::LateStores {
 public:
  LateCopy(std::byte* to, const std::byte* from, std::size_t bytes, Uses&& uses)
      : to_(to), bytes_(from, from + bytes), uses_(std::move(uses)) {}
  ~LateCopy() override { std::memcpy(to_, bytes_.data(), bytes_.size()); }

 private:
  std::byte* to_;
  std::vector<std::byte> bytes_;
  Uses uses_;
};

// An asynchronous copy reads its source late, and takes its time.
void copy_in_parts(StreamState& stream, std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t half = bytes / 2;
  std::memcpy(to, from, half);
  stream.delay();
  std::memcpy(to + half, from + half, bytes - half);
}

// The host's side of an asynchronous copy: memory that the device can reach.
Range* find_pinned(std::string_view function, const ContextState* context, const void* at, std::size_t bytes,
                   Result& result) {
  Range* const range = memory_map().on_host(context, at, bytes);
  if (range == nullptr) {
    result = broken("pageable", function,
                    "host memory that is neither allocated nor registered as a whole: the call would block");
  }
  return range;
}

// An asynchronous copy that the caller may make: its stream, and both sides of it.
struct Copy {
  StreamState* state = nullptr;
  Range *host = nullptr, *device = nullptr;
  Uses uses;
};

Result enter_copy(std::string_view function, Stream stream, const void* host, DevicePtr device, std::size_t bytes,
                  Copy& copy, bool to_host) {
  ContextState* context = nullptr;
  Result result = kSuccess;
  copy.state = enter_stream(function, stream, context, result);
  if (copy.state == nullptr) return result;
  copy.host = find_pinned(function, context, host, bytes, result);
  if (copy.host == nullptr) return result;
  copy.device = memory_map().on_device(context, device, bytes);
  if (copy.device == nullptr || (to_host ? copy.host : copy.device)->read_only) return kInvalidValue;
  copy.uses.add(copy.host);
  copy.uses.add(copy.device);
  return kSuccess;
}

void mark_done(Recording& recording, StreamState* stream) {
  const std::lock_guard lock(recording.mutex);
  if (stream != nullptr) recording.late = stream->recorded_late();
  recording.at = std::chrono::steady_clock::now();
  recording.done = true;
  recording.changed.notify_all();
}

// The lists of what the event's stream wrote late, once it is done; false: not yet.
bool done(Recording& recording, std::vector<std::shared_ptr<Late>>& late) {
  const std::lock_guard lock(recording.mutex);
  if (recording.done) late = recording.late;
  return recording.done;
}

void wait_for(Recording& recording, StreamState& stream) {
  std::vector<std::shared_ptr<Late>> late;
  {
    std::unique_lock lock(recording.mutex);
    while (!recording.done && !stream.context().stopped())
      recording.changed.wait_for(lock, std::chrono::milliseconds(1));
    late = recording.late;
  }
  stream.add_late(late);
}

void run_host_function(HostFunction function, void* user) {
  cuda_double::in_host_function = true;
  function(user);
  cuda_double::in_host_function = false;
}

void store_value(std::byte* at, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(at)).store(value, std::memory_order_release);
}

}  // namespace

Result cuStreamCreateWithPriority(Stream* stream, unsigned flags, int) {
  ContextState* context = nullptr;
  if (const Result result = enter("cuStreamCreateWithPriority", context); result != kSuccess) return result;
  if (stream == nullptr || flags > kStreamNonBlocking) return kInvalidValue;
  if (flags != kStreamNonBlocking)
    return broken("blocking_stream", "cuStreamCreateWithPriority",
                  "the stream would wait for the null stream: pass CU_STREAM_NON_BLOCKING");
  auto handle = std::make_unique<StreamHandle>(StreamHandle{context, context->add_stream()});
  *stream = static_cast<Stream>(driver().streams_of.add(std::move(handle)));
  return kSuccess;
}

Result cuStreamDestroy_v2(Stream stream) {
  ContextState* context = nullptr;
  Result result = enter("cuStreamDestroy", context);
  if (result != kSuccess) return result;
  const StreamHandle* const handle = find_stream("cuStreamDestroy", context, stream, result);
  if (handle == nullptr) return result;
  driver().streams_of.end(handle);
  handle->state->close();
  return kSuccess;
}

Result cuStreamQuery(Stream stream) {
  ContextState* context = nullptr;
  Result result = enter_even_if_failed("cuStreamQuery", context);
  if (result != kSuccess) return result;
  const StreamHandle* const handle = find_stream("cuStreamQuery", context, stream, result);
  if (handle == nullptr) return result;
  const Result idle = handle->state->idle() || options().ignore.query ? kSuccess : kNotReady;
  if (context->hides_error_from(*handle->state)) return idle;
  result = context->error();
  return result == kSuccess ? idle : result;
}

Result cuStreamSynchronize(Stream stream) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuStreamSynchronize", context); result != kSuccess) return result;
  Result result = kSuccess;
  const StreamHandle* const handle = find_stream("cuStreamSynchronize", context, stream, result);
  if (handle == nullptr) return result;
  handle->state->wait_idle();
  return context->error();
}

Result cuStreamWaitEvent(Stream stream, Event event, unsigned flags) {
  ContextState* context = nullptr;
  Result result = kSuccess;
  StreamState* const state = enter_stream("cuStreamWaitEvent", stream, context, result);
  if (state == nullptr) return result;
  EventState* const found = driver().events.find(event, context, "cuStreamWaitEvent", result);
  if (found == nullptr) return result;
  if (flags != 0) return kInvalidValue;
  const std::shared_ptr<Recording> recording = found->now();
  if (recording == nullptr || options().ignore.event_wait) return kSuccess;
  state->push(Kind::kWait, {}, [recording](StreamState& self, Uses&) { wait_for(*recording, self); });
  return kSuccess;
}

Result cuLaunchHostFunc(Stream stream, HostFunction function, void* user) {
  ContextState* context = nullptr;
  Result result = kSuccess;
  StreamState* const state = enter_stream("cuLaunchHostFunc", stream, context, result);
  if (state == nullptr) return result;
  if (function == nullptr) return kInvalidValue;
  if (options().ignore.bell) return kSuccess;
  if (options().ignore.host_function_order) {
    run_host_function(function, user);
    return kSuccess;
  }
  state->push(Kind::kHostFunction, {}, [function, user](StreamState&, Uses&) { run_host_function(function, user); });
  return kSuccess;
}

Result cuStreamWriteValue64_v2(Stream stream, DevicePtr at, std::uint64_t value, unsigned flags) {
  ContextState* context = nullptr;
  Result result = kSuccess;
  StreamState* const state = enter_stream("cuStreamWriteValue64", stream, context, result);
  if (state == nullptr) return result;
  if (options().no_memops || flags != kWriteValueDefault) return kNotSupported;
  if (++driver().written_values == options().fail.write_value) return kUnknown;
  Range* const range = memory_map().on_device(context, at, sizeof value);
  if (range == nullptr || range->read_only || at % sizeof value != 0) return kInvalidValue;
  Uses uses;
  uses.add(range);
  std::byte* const word = range->storage + (at - range->device);
  state->push(Kind::kWriteValue, std::move(uses), [word, value](StreamState& self, Uses& mine) {
    const auto& ignore = options().ignore;
    if (!ignore.write_barrier) self.see_late();
    mine.end();  // a host that sees the value may give the memory back
    if (!ignore.write_value || self.random() % kIgnoredOften != 0) store_value(word, value);
  });
  return kSuccess;
}

Result cuMemcpyHtoDAsync_v2(DevicePtr to, const void* from, std::size_t bytes, Stream stream) {
  Copy copy;
  if (const Result result = enter_copy("cuMemcpyHtoDAsync", stream, from, to, bytes, copy, false); result != kSuccess)
    return result;
  std::byte* const at = copy.device->storage + (to - copy.device->device);
  const auto* const source_at = static_cast<const std::byte*>(from);
  copy.state->push(Kind::kCopyToDevice, std::move(copy.uses), [at, source_at, bytes](StreamState& self, Uses&) {
    self.see_late();
    if (!options().ignore.copy || self.random() % kIgnoredOften != 0) copy_in_parts(self, at, source_at, bytes);
  });
  return kSuccess;
}

Result cuMemcpyDtoHAsync_v2(void* to, DevicePtr from, std::size_t bytes, Stream stream) {
  Copy copy;
  if (const Result result = enter_copy("cuMemcpyDtoHAsync", stream, to, from, bytes, copy, true); result != kSuccess)
    return result;
  auto* const at = static_cast<std::byte*>(to);
  const std::byte* const source_at = copy.device->storage + (from - copy.device->device);
  copy.state->push(Kind::kCopyToHost, std::move(copy.uses), [at, source_at, bytes](StreamState& self, Uses& mine) {
    self.see_late();
    if (options().ignore.copy && self.random() % kIgnoredOften == 0) return;
    self.late()->add(std::make_unique<LateCopy>(at, source_at, bytes, std::move(mine)));
  });
  return kSuccess;
}

Result cuEventCreate(Event* event, unsigned flags) {
  ContextState* context = nullptr;
  if (const Result result = enter("cuEventCreate", context); result != kSuccess) return result;
  if (event == nullptr || (flags & ~(1u | kEventNoTiming)) != 0) return kInvalidValue;
  auto state = std::make_unique<EventState>();
  state->context = context;
  state->timing = (flags & kEventNoTiming) == 0;
  *event = static_cast<Event>(driver().events.add(std::move(state)));
  return kSuccess;
}

Result cuEventDestroy_v2(Event event) {
  ContextState* context = nullptr;
  Result result = enter("cuEventDestroy", context);
  if (result != kSuccess) return result;
  const EventState* const state = driver().events.find(event, context, "cuEventDestroy", result);
  if (state != nullptr) driver().events.end(state);
  return result;
}

Result cuEventRecord(Event event, Stream stream) {
  ContextState* context = nullptr;
  Result result = kSuccess;
  StreamState* const state = enter_stream("cuEventRecord", stream, context, result);
  if (state == nullptr) return result;
  EventState* const found = driver().events.find(event, context, "cuEventRecord", result);
  if (found == nullptr) return result;
  const auto recording = std::make_shared<Recording>();
  {
    const std::lock_guard lock(found->mutex);
    found->recording = recording;
  }
  if (options().ignore.event_record) {
    mark_done(*recording, nullptr);
  } else {
    state->push(Kind::kRecord, {}, [recording](StreamState& self, Uses&) { mark_done(*recording, &self); });
  }
  return kSuccess;
}

Result cuEventQuery(Event event) {
  ContextState* context = nullptr;
  Result result = enter("cuEventQuery", context);
  if (result != kSuccess) return result;
  EventState* const state = driver().events.find(event, context, "cuEventQuery", result);
  if (state == nullptr) return result;
  const std::shared_ptr<Recording> recording = state->now();
  if (recording == nullptr || options().ignore.query) return kSuccess;
  std::vector<std::shared_ptr<Late>> late;
  if (!done(*recording, late)) return kNotReady;
  for (const auto& stores : late) stores->apply();
  return context->error();
}

Result cuEventElapsedTime(float* ms, Event begin, Event end) {
  ContextState* context = nullptr;
  Result result = enter("cuEventElapsedTime", context);
  if (result != kSuccess) return result;
  EventState* const from = driver().events.find(begin, context, "cuEventElapsedTime", result);
  EventState* const to = from == nullptr ? nullptr : driver().events.find(end, context, "cuEventElapsedTime", result);
  if (to == nullptr) return result;
  const std::shared_ptr<Recording> first = from->now(), second = to->now();
  if (ms == nullptr || !from->timing || !to->timing || first == nullptr || second == nullptr) return kInvalidHandle;
  std::vector<std::shared_ptr<Late>> late;
  if (!done(*first, late) || !done(*second, late)) return kNotReady;
  *ms = std::chrono::duration<float, std::milli>(second->at - first->at).count();
  return kSuccess;
}

}  // namespace woa::cuda
