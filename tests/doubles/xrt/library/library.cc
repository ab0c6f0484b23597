#include "tests/doubles/xrt/library/library.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/doubles/common/rules.h"

namespace woa::xrt_double {
namespace {

// Reports what is alive, and ends all threads. At exit.
void end_process() {
  if (library().forked.load()) return;
  library().devices.each([](const Device& device) {
    if (device.board->failed()) return;
    const std::string leaks = leaks_of(device);
    broken("leak", "exit", "a device was not closed" + (leaks.empty() ? "" : "; it has " + leaks));
  });
  for (const auto& board : library().boards) board->slots.clear();
}

}  // namespace

bool Board::failed() const {
  const std::lock_guard lock(mutex);
  return std::any_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.unit && slot.unit->failed(); });
}

bool Board::lost() const {
  const std::lock_guard lock(mutex);
  return std::any_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.unit && slot.unit->lost(); });
}

Library::Library() {
  for (unsigned k = 0; k < options().devices; ++k) boards.push_back(std::make_unique<Board>(k));
  pthread_atfork(nullptr, nullptr, [] { library().forked.store(library().opened.load()); });
  std::atexit(&end_process);
}

Library& library() {
  static Library* const one = new Library;  // never destroyed: its threads may outlive `main`
  return *one;
}

int broken(std::string_view rule, std::string_view function, std::string_view text) {
  doubles::broken("woa_xrt_double", rule, function, text, options().rules_are_errors);
  return errno = EPERM;
}

int refuse(std::string_view function, int error, std::string_view reason) {
  if (!library().silent.load()) {
    std::string line = "[woa_xrt_double] ERROR: ";
    line.append(function).append(": ").append(reason).append(": ").append(std::strerror(error)).append("\n");
    std::fputs(line.c_str(), stderr);
  }
  return errno = error;
}

bool fails(Failure failure) {
  const auto at = static_cast<std::size_t>(failure);
  return ++library().counts[at] == options().fail[at];
}

bool enter(std::string_view function) {
  if (in_callback) return broken("callback", function, "called within a callback: the library may hold locks"), false;
  if (library().forked.load())
    return broken("fork", function, "called in a forked child, which has none of the library's threads"), false;
  return true;
}

std::string leaks_of(const Device& device) {
  std::string text;
  const auto add = [&](std::size_t count, const char* what) {
    if (count != 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(library().runs.count([&](const Run& run) { return run.kernel->device == &device; }), "runs");
  add(library().kernels.count([&](const Kernel& kernel) { return kernel.device == &device; }), "kernels");
  add(library().buffers.count([&](const Buffer& buffer) { return buffer.device == &device; }), "buffers");
  return text;
}

}  // namespace woa::xrt_double
