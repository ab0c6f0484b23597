#include "tools/woa/interruption.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

constexpr int kSignalled = 128;  // shells add the number of the signal that ended a program

std::atomic<int> first_signal{0};
std::mutex told_mutex;
std::function<void(const char*)> told;  // guarded by told_mutex; empty: no Interruption lives

const char* name_of(int number) { return number == SIGINT ? "SIGINT (Ctrl-C)" : "SIGTERM"; }

sigset_t signals_of_users() {
  struct sigaction action {};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  if (::sigaction(SIGINT, nullptr, &action) != 0 || action.sa_handler != SIG_IGN) sigaddset(&set, SIGINT);
  return set;
}

void on_signal(int number, bool as_json) {
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, number)) leave_process(kSignalled + number);
  const std::lock_guard lock(told_mutex);
  if (told) return told(name_of(number));
  fail({Code::kCancelled, std::string("interrupted by ") + name_of(number)}, kSignalled + number,
       as_json && !has_answered());
  leave_process(kSignalled + number);
}

[[noreturn]] void wait_for_signals(sigset_t set, bool as_json) {
  for (;;) {
    int number = 0;
    if (::sigwait(&set, &number) == 0) on_signal(number, as_json);
  }
}

}  // namespace

void Interruption::watch(bool as_json) {
  const sigset_t set = signals_of_users();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  try {
    std::thread(wait_for_signals, set, as_json).detach();
  } catch (const std::system_error&) {  // no thread: the signals end the process as any other
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
}

void Interruption::leave_to_parent() {
  const sigset_t set = signals_of_users();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Interruption::Interruption(std::function<void(const char*)> tell) {
  const std::lock_guard lock(told_mutex);
  told = std::move(tell);
}

Interruption::~Interruption() {
  const std::lock_guard lock(told_mutex);
  told = nullptr;
}

int Interruption::exit_code() {
  const int number = first_signal.load();
  return number == 0 ? 0 : kSignalled + number;
}

}  // namespace woa::tools
