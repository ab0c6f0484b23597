// Firings of 64 bytes, as many as a test wants to time, on any back-end of the `xrt` row.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <thread>
#include <utility>

#include "runtime/base/pause.h"
#include "runtime/transport/doorbell.h"
#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/fpga_fixture.h"

namespace woa::test {

class SmallFirings {
 public:
  static constexpr std::uint32_t kBytes = 64, kMost = 8;  // of a payload; under way
  enum class Idle { kLook, kSleep };  // a controller does both: it looks for a while, then sleeps until it is rung

  explicit SmallFirings(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {
    plan_.plan.controllers[kFpga] = make_controller("fpga:0", *find_backend("xrt"));
    const std::uint32_t stage = plan_.add_stage("copy", port_type("bytes", {}, kBytes));
    plan_.add_edge(stage, kSinkStage);
    const Status loaded = backend_->load(plan_.plan, plan_.loaded, doorbell_);
    INFO(loaded.message());
    REQUIRE(loaded.ok());
    REQUIRE(backend_->map({}).ok());
    for (std::uint32_t k = 0; k < kMost; ++k)
      firings_.emplace_back(plan_.plan, token(stage, kBytes, k), Bytes(kBytes, 1), kBytes).firing.timed = false;
  }

  // At most `at_once` of them under way.
  void run(std::uint32_t count, std::uint32_t at_once, Idle idle) {
    std::array<Firing*, kMost> done{};
    for (std::uint32_t started = 0, ended = 0; ended < count;) {
      while (started < count && started - ended < at_once) {
        Firing& firing = firings_[started % kMost].firing;
        const Start start = backend_->start(firing);
        if (start == Start::kCompleted) FAIL(firing.message);
        if (start == Start::kBusy) break;
        ++started;
      }
      const std::size_t now = next(done, idle);
      for (std::size_t k = 0; k < now; ++k)
        if (done[k]->code != Code::kOk) FAIL(done[k]->message);
      ended += static_cast<std::uint32_t>(now);
    }
  }

 private:
  static constexpr std::uint64_t kLongestNs = 100'000'000;

  std::size_t next(std::span<Firing*> done, Idle idle) {
    if (const std::size_t now = backend_->poll(done); now != 0) return now;
    if (idle == Idle::kLook) {
      if (++looks_ % 256 == 0) std::this_thread::yield();  // the back-end's threads may need the processor
      return pause_core(), 0;
    }
    doorbell_.prepare();
    const std::size_t now = backend_->poll(done);
    now == 0 ? doorbell_.sleep(kLongestNs) : doorbell_.cancel();
    return now;
  }

  DoorbellLine line_;
  Doorbell doorbell_{&line_};
  std::uint32_t looks_ = 0;
  FpgaPlan plan_;
  std::deque<TestFiring> firings_;
  std::unique_ptr<Backend> backend_;  // last: it uses the rest
};

}  // namespace woa::test
