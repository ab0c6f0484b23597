#include "controllers/fpga/verilator/verilator_backend.h"

#include <verilated_config.h>

#include <string>

#include "runtime/base/clock.h"
#include "runtime/base/thread.h"
#include "runtime/transport/idle.h"

namespace woa {

DeviceDescription verilator_description() {
  std::string version = VERILATOR_VERSION;  // "5.006 2023-01-22 rev ..."
  version = version.substr(0, version.find(' '));
  return {"verilator", "wact_node RTL model (Verilator " + version + ")", true, "device", "instance"};
}

VerilatorBackend::VerilatorBackend() : description_(verilator_description()) {}

VerilatorBackend::~VerilatorBackend() {
  if (!thread_.joinable()) return;
  stopped_.store(true);
  Doorbell(&line_).ring();
  thread_.join();
}

Status VerilatorBackend::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  WOA_RETURN_IF_ERROR(driver_.load(plan, stages));
  wakeup_ = wakeup;
  return start_thread(thread_, "starting the thread of the model", [this] { serve(); });
}

Start VerilatorBackend::start(Firing& firing) noexcept {
  if (busy_) return Start::kBusy;
  busy_ = true;
  job_.store(&firing, std::memory_order_release);
  Doorbell(&line_).ring();
  return Start::kStarted;
}

std::size_t VerilatorBackend::poll(std::span<Firing*> done) noexcept {
  if (!busy_ || done.empty()) return 0;
  Firing* firing = done_.exchange(nullptr, std::memory_order_acquire);
  if (firing == nullptr) return 0;
  busy_ = false;
  done[0] = firing;
  return 1;
}

void VerilatorBackend::serve() noexcept {
  Firing* firing = nullptr;
  const auto has_work = [&] { return (firing = job_.load(std::memory_order_acquire)) != nullptr; };
  Idle idle(Doorbell(&line_), kHelperWaits);
  while (idle.wait_until([&] { return has_work() || stopped_.load(); }), has_work()) {
    firing->started_ns = now_ns();
    driver_.run(*firing);
    firing->ended_ns = now_ns();
    for (Firing* const joined : firing->joined)  // the node runs them at once
      joined->started_ns = firing->started_ns, joined->ended_ns = firing->ended_ns;
    job_.store(nullptr, std::memory_order_relaxed);  // before the answer: the next firing comes after it
    done_.store(firing, std::memory_order_release);
    wakeup_.ring();
  }
}

}  // namespace woa
