// The FPGA controller's device as a cycle-accurate model: firings run through the packet node's RTL on the model's own
// thread.
#pragma once

#include <atomic>
#include <thread>

#include "controllers/fpga/verilator/wact_driver.h"
#include "runtime/controller/backend.h"

namespace woa {

// One firing at a time. The model thread sleeps while there is none.
class VerilatorBackend final : public Backend {
 public:
  VerilatorBackend();
  ~VerilatorBackend() override;  // blocks until the firing that runs has ended

  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override;
  [[nodiscard]] Start start(Firing& firing) noexcept override;
  std::size_t poll(std::span<Firing*> done) noexcept override;

 private:
  void serve() noexcept;

  const DeviceDescription description_;
  Doorbell wakeup_;
  bool busy_ = false;                   // from start() to the poll() that reports it
  DoorbellLine line_;                   // the model thread sleeps on it
  std::atomic<Firing*> job_{nullptr};   // from the controller to the model thread
  std::atomic<Firing*> done_{nullptr};  // from the model thread to the controller
  std::atomic<bool> stopped_{false};
  WactModel model_;  // once the model thread runs, it alone uses the model and the driver
  WactDriver driver_{model_};
  std::thread thread_;
};

// The model's description, for callers without a model.
DeviceDescription verilator_description();

}  // namespace woa
