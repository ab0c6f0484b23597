// Runs of a kernel.
#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>

#include "tests/doubles/xrt/library/exports.h"
#include "tests/doubles/xrt/library/library.h"

namespace woa::xrt {
namespace {

using xrt_double::Board;
using xrt_double::broken;
using xrt_double::Buffer;
using xrt_double::fails;
using xrt_double::Failure;
using xrt_double::find;
using xrt_double::is_buffer;
using xrt_double::kArguments;
using xrt_double::Kernel;
using xrt_double::library;
using xrt_double::options;
using xrt_double::refuse;
using xrt_double::Run;
using xrt_double::Unit;

constexpr const char* kSet = "xrtRunSetArg";
constexpr const char* kStart = "xrtRunStart";

std::string name_of(int argument) { return "argument " + std::to_string(argument); }

int set_buffer(Run& run, int argument, BufferHandle handle) {
  Buffer* const buffer = find(library().buffers, handle, kSet);
  if (buffer == nullptr) return EPERM;
  Board& board = *run.kernel->device->board;
  if (buffer->device->board != &board) return broken("handle", kSet, "this buffer is another card's");
  {
    const std::lock_guard lock(board.mutex);
    const auto banks = board.xclbin->banks_of(run.kernel->slot, static_cast<std::uint32_t>(argument));
    if (std::find(banks.begin(), banks.end(), buffer->memory->bank) == banks.end())
      return broken("bank", kSet, name_of(argument) + " cannot lie in bank " + std::to_string(buffer->memory->bank));
  }
  if (buffer->address() % wact::kLineBytes != 0)
    return broken("alignment", kSet, name_of(argument) + " has an address that is no multiple of 64");
  run.values[static_cast<std::size_t>(argument)].buffer = buffer;
  return 0;
}

// The error that keeps a run from being started; 0: none.
int check_start(const Run& run) {
  for (int k = 0; k < kArguments; ++k) {
    const auto& value = run.values[static_cast<std::size_t>(k)];
    if (!value.is_set) return broken("argument", kStart, name_of(k) + " was not set");
    if (value.buffer != nullptr && value.buffer->memory == nullptr)
      return broken("handle", kStart, name_of(k) + " is a buffer that was freed");
  }
  constexpr std::pair<wact::Argument, wact::Argument> kSizes[] = {{wact::kArgumentCommandBytes, wact::kArgumentCommand},
                                                                  {wact::kArgumentInputBytes, wact::kArgumentInput},
                                                                  {wact::kArgumentOutputBytes, wact::kArgumentOutput},
                                                                  {wact::kArgumentResultBytes, wact::kArgumentResult}};
  for (const auto& [size, buffer] : kSizes)
    if (run.values[size].number > run.values[buffer].buffer->bytes)
      return broken("argument", kStart, name_of(static_cast<int>(size)) + " is larger than its buffer");
  return 0;
}

// The bytes, or the last line of them, never came to the card.
void leave_out(const Buffer& buffer, std::size_t bytes, bool all, bool last_line) {
  if (!all && !last_line) return;
  const std::size_t count = all ? bytes : std::min<std::size_t>(bytes, wact::kLineBytes);
  std::memset(buffer.card() + bytes - count, static_cast<int>(xrt_double::kCardPoison), count);
}

void leave_out_of(const Run& run) {
  const auto& ignore = options().ignore;
  leave_out(*run.values[wact::kArgumentCommand].buffer, run.values[wact::kArgumentCommandBytes].number,
            ignore.command_sync, ignore.command_short);
  leave_out(*run.values[wact::kArgumentInput].buffer, run.values[wact::kArgumentInputBytes].number, ignore.input_sync,
            ignore.input_short);
}

// The packet's header, in the second line of a command that has one, comes to the card with a wrong bit.
void damage_header(const Run& run) {
  if (run.values[wact::kArgumentCommandBytes].number >= 2 * wact::kLineBytes)
    run.values[wact::kArgumentCommand].buffer->card()[wact::kLineBytes] ^= std::byte{1};
}

Unit::Fate draw_fate() {
  static std::atomic<std::uint64_t> starts{0};
  Unit::Fate fate = Unit::Fate::kNormal;
  if (options().ignore.start && (starts++ + options().seed) % xrt_double::kIgnoredOften == 0)
    fate = Unit::Fate::kSkipped;
  if (fails(Failure::run_error)) fate = Unit::Fate::kError;
  if (fails(Failure::slow)) fate = Unit::Fate::kSlow;
  if (fails(Failure::hung)) fate = Unit::Fate::kHung;
  if (fails(Failure::lost)) fate = Unit::Fate::kLost;
  return fate;
}

WactArguments take(const Run& run) {
  const auto& values = run.values;
  for (const Run::Value& value : values)
    if (value.buffer != nullptr) ++value.buffer->users;
  return arguments_of([&](wact::Argument argument) { return values[argument].buffer->address(); },
                      [&](wact::Argument argument) { return values[argument].number; });
}

}  // namespace

RunHandle xrtRunOpen(KernelHandle handle) {
  Kernel* const kernel = find(library().kernels, handle, "xrtRunOpen");
  if (kernel == nullptr) return nullptr;
  if (!kernel->is_node) return refuse("xrtRunOpen", ENOTSUP, "the double runs no other kernel than woa_wact"), nullptr;
  auto run = std::make_unique<Run>();
  Run& added = *run;
  run->kernel = kernel;
  return added.handle = library().runs.add(std::move(run));
}

int xrtRunSetArg(RunHandle handle, int argument, ...) {
  Run* const run = find(library().runs, handle, kSet);
  if (run == nullptr) return EPERM;
  if (argument < 0 || argument >= kArguments) return broken("argument", kSet, "no " + name_of(argument));
  const std::lock_guard lock(run->mutex);
  if (run->under_way) return broken("run", kSet, "the run is under way");
  auto& value = run->values[static_cast<std::size_t>(argument)];
  if (options().ignore.argument && value.is_set) return 0;
  std::va_list rest;
  va_start(rest, argument);
  int result = 0;
  if (is_buffer(argument)) {
    result = set_buffer(*run, argument, va_arg(rest, BufferHandle));
  } else {
    value.number = va_arg(rest, std::uint32_t);
  }
  va_end(rest);
  value.is_set = value.is_set || result == 0;
  return result;
}

int xrtRunStart(RunHandle handle) {
  Run* const run = find(library().runs, handle, kStart);
  if (run == nullptr) return EPERM;
  Board& board = *run->kernel->device->board;
  if (board.lost()) return refuse(kStart, ENODEV, "the card is lost");
  WactArguments arguments{};
  {
    const std::lock_guard lock(run->mutex);
    if (run->under_way) return broken("run", kStart, "the run is under way");
    if (const int wrong = check_start(*run); wrong != 0) return wrong;
    if (fails(Failure::start)) return refuse(kStart, EIO, "the command was not taken");
    leave_out_of(*run);
    if (fails(Failure::damaged)) damage_header(*run);
    arguments = run->arguments = take(*run);
    run->started = run->under_way = true;
    run->state = kRunning;
  }
  board.slots[run->kernel->slot].unit->start(*run, arguments, draw_fate());
  return 0;
}

int xrtRunWaitFor(RunHandle handle, unsigned milliseconds) {
  Run* const run = find(library().runs, handle, "xrtRunWaitFor");
  if (run == nullptr) return kAbort;
  std::unique_lock lock(run->mutex);
  if (!run->started) return broken("run", "xrtRunWaitFor", "the run was never started"), kAbort;
  if (options().ignore.wait) return kCompleted;
  const auto ended = [&] { return !run->under_way; };
  if (milliseconds == 0) run->changed.wait(lock, ended);
  if (!run->changed.wait_for(lock, std::chrono::milliseconds(milliseconds), ended)) return kTimeout;
  return run->state;
}

// May be old once after the end, as XRT's is.
int xrtRunState(RunHandle handle) {
  Run* const run = find(library().runs, handle, "xrtRunState");
  if (run == nullptr) return kAbort;
  const std::lock_guard lock(run->mutex);
  return std::exchange(run->stale, false) ? static_cast<int>(kRunning) : run->state;
}

int xrtRunSetCallback(RunHandle handle, int state, RunCallback callback, void* user) {
  constexpr const char* kName = "xrtRunSetCallback";
  Run* const run = find(library().runs, handle, kName);
  if (run == nullptr) return EPERM;
  if (state != kCompleted || callback == nullptr) return refuse(kName, EINVAL, "a state that has no callbacks");
  const std::lock_guard lock(run->mutex);
  if (run->under_way) return broken("run", kName, "the run is under way: its end may have passed");
  if (run->callback != nullptr) return broken("run", kName, "the run has a callback: XRT would call both");
  run->callback = callback;
  run->user = user;
  return 0;
}

int xrtRunClose(RunHandle handle) {
  constexpr const char* kName = "xrtRunClose";
  Run* const run = find(library().runs, handle, kName);
  if (run == nullptr) return EPERM;
  {
    const std::lock_guard lock(run->mutex);
    if (run->under_way) return broken("run", kName, "the run is under way");
    if (run->calls_due != 0) return broken("run", kName, "the run's callback has not come yet");
  }
  library().runs.end(run);
  return 0;
}

}  // namespace woa::xrt
