// A device that publishes the packets of its kernels: start() fixes what a firing writes, and a thread stores payloads
// and publications later, in the order of the starts.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/device_backend.h"
#include "tests/support/functions.h"
#include "tests/support/publishing_device.h"

namespace woa::test {

// What the device does, and what was seen of it.
struct PublishingScript {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  std::size_t places = 1;            // firings that it takes at a time; it stores nothing before they are taken, or no
                                     // more come
  std::size_t patience = 100;        // polls until it takes it that no more come
  bool ordered = true;               // its starts are
  std::size_t lands = kAll;          // so many publications do; then it fails,
  bool kills = false;                // or kills its process
  bool threaded = true;              // a thread stores; otherwise poll() does, and nothing fails
  std::atomic<std::size_t> most{0};  // seen: firings under way at once
};

class PublishingBackend final : public WithDeviceMemory {
 public:
  PublishingBackend(const Functions& functions, PublishingScript& script)
      : WithDeviceMemory(functions, {"function", "C++ functions that publish", false, "host", "none", "queue"}),
        script_(script),
        device_(script.threaded ? std::make_unique<PublishingDevice>() : nullptr) {}
  Start start(Firing& firing) noexcept override {
    if (pending_.size() == script_.places) return Start::kBusy;
    Written written = run_unseen(firing);
    if (firing.code != Code::kOk) return Start::kCompleted;  // before the device gets what starts later
    for (std::size_t p = 0; p < firing.outputs.size(); ++p) {
      const woa_output& output = firing.outputs[p];
      if (output.data == nullptr) continue;
      const auto payload = std::as_bytes(std::span(output_data(firing, p, written), output.bytes));
      jobs_.push_back({{},
                       {reinterpret_cast<std::byte*>(output.data), payload.size()},
                       std::vector<std::byte>(payload.begin(), payload.end())});
    }
    for (const Publication& publication : firing.publications)
      if (publication.word != nullptr) jobs_.push_back({publication, {}, {}});
    pending_.push_back({&firing, given_ + jobs_.size()});  // none is given away between starts
    script_.most = std::max(script_.most.load(), pending_.size());
    quiet_ = 0;
    return script_.ordered ? Start::kOrdered : Start::kStarted;
  }
  // In any order: here the youngest first.
  std::size_t poll(std::span<Firing*> done) noexcept override {
    wakeup_.ring();                            // until the last has completed
    if (device_ == nullptr) stored_ = given_;  // in the last poll
    if (pending_.size() == script_.places || ++quiet_ >= script_.patience) give_jobs();
    if (device_ != nullptr) stored_ = device_->done();
    std::size_t count = 0;
    for (std::size_t k = pending_.size(); k-- > 0;) {
      const Pending pending = pending_[k];
      if (!pending.given || (pending.jobs > stored_ && !failed_)) continue;
      if (pending.jobs > stored_) fail(*pending.firing);
      done[count++] = pending.firing;
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return count;
  }
  [[nodiscard]] bool busy() const noexcept { return !pending_.empty(); }

 private:
  struct Job {
    Publication publication;
    std::span<std::byte> block;
    std::vector<std::byte> payload;
  };
  struct Pending {
    Firing* firing;
    std::size_t jobs;  // that are done when it is
    bool given = false;
  };

  void give_jobs() {
    for (Pending& pending : pending_) pending.given = true;
    for (; !jobs_.empty() && !failed_; jobs_.pop_front()) {
      Job& job = jobs_.front();
      if (landed_ == script_.lands) return fail();
      if (job.publication.word != nullptr) ++landed_;
      store(job);
      ++given_;
    }
    if (script_.kills && landed_ == script_.lands) fail();
  }
  void store(Job& job) {
    if (device_ != nullptr) return device_->publish(job.publication, job.block, std::move(job.payload));
    std::copy(job.payload.begin(), job.payload.end(), job.block.begin());
    if (job.publication.word != nullptr) job.publication.store();
  }
  // The device fails when all that it was given before is out.
  void fail() {
    device_->complete();
    if (script_.kills) ::kill(::getpid(), SIGKILL);
    device_->destroy();
    failed_ = true;
  }
  static void fail(Firing& firing) {
    firing.code = Code::kUnavailable;
    firing.message = "the device went away in instance " + std::to_string(firing.instance);
  }

  PublishingScript& script_;
  std::deque<Job> jobs_;  // that the device does not have yet
  std::size_t given_ = 0, stored_ = 0, landed_ = 0, quiet_ = 0;
  bool failed_ = false;
  std::vector<Pending> pending_;
  std::unique_ptr<PublishingDevice> device_;  // null: poll() stores
};

// For controllers whose traits say that they publish; others run the functions as they come.
inline BackendFactory publishing_factory(const Functions& functions, PublishingScript& script) {
  BackendFactory factory = function_factory(functions);
  factory.make = [&functions, &script](std::uint32_t,
                                       const ControllerPlan& controller) -> Result<std::unique_ptr<Backend>> {
    if (controller.traits.publishes == Publisher::kHost)
      return std::unique_ptr<Backend>(std::make_unique<FunctionBackend>(functions));
    return std::unique_ptr<Backend>(std::make_unique<PublishingBackend>(functions, script));
  };
  return factory;
}

// Its kernel stages write padded text, and the devices of its controllers publish them.
inline Plan with_publishing(Plan plan, MemoryKind memory = MemoryKind::kCpu) {
  const PortType type{"u8", {{"", kPaddedBytes, 0}}, kPaddedBytes};
  for (std::size_t c = 1; c < plan.controllers.size(); ++c)
    plan.controllers[c].traits = {.memory = memory, .publishes = Publisher::kQueue};
  for (StagePlan& stage : plan.stages) {
    for (InputPortPlan& port : stage.inputs) port.type = type;
    for (OutputPortPlan& port : stage.outputs) port.type = type;
    if (stage.role == StageRole::kKernel) stage.publishes = Publisher::kQueue;
  }
  return plan;
}

}  // namespace woa::test
