// A device that writes packets and joins stages, played by C++ functions: it runs a chain from stage to stage without
// the controller, and answers in the order of the starts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/plan/on_card.h"
#include "tests/support/function_backend.h"

namespace woa::test {

inline constexpr BackendTraits kJoiningTraits{.writes_packets = true, .joins = true};

// All controllers but the host are such devices. `join`: edges stay on their card if they may.
inline Plan with_joining(Plan plan, bool join = true) {
  for (std::size_t c = 1; c < plan.controllers.size(); ++c) plan.controllers[c].traits = kJoiningTraits;
  for (StagePlan& stage : plan.stages) {
    if (stage.role != StageRole::kKernel) continue;
    stage.headers = HeaderWriter::kDevice;
    stage.variant.core = stage.name;
  }
  const OnCardRules rules(plan);
  for (std::size_t e = 0; join && e < plan.edges.size(); ++e) plan.edges[e].on_card = rules.why_not(e).empty();
  return plan;
}

// The devices' behaviour, and what was seen of them. Each runs on its controller's thread.
struct JoiningScript {
  std::size_t places = 4;                // firings that one takes at a time
  std::size_t answers = 1;               // firings that one ends in a poll
  std::size_t patience = 0;              // polls until one ends a firing though it could take more
  std::atomic<std::size_t> most = 0;     // seen: firings under way at once on one
  std::atomic<std::size_t> starts = 0;   // seen on all, poison left out
  std::atomic<std::size_t> poisons = 0;  // seen on all
};

class JoiningBackend final : public Backend {
 public:
  JoiningBackend(const Functions& functions, JoiningScript& script) : functions_(functions), script_(script) {}
  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override {
    plan_ = &plan;
    wakeup_ = wakeup;
    return find_functions(functions_, stages);
  }
  Start start(Firing& firing) noexcept override {
    if (pending_.size() == script_.places) return Start::kBusy;
    pending_.push_back(&firing);
    for (std::size_t most = script_.most; most < pending_.size();)
      if (script_.most.compare_exchange_weak(most, pending_.size())) break;
    ++(firing.poison ? script_.poisons : script_.starts);
    wakeup_.ring();
    quiet_ = 0;
    return Start::kStarted;
  }
  std::size_t poll(std::span<Firing*> done) noexcept override {
    std::size_t count = 0;
    wakeup_.ring();
    if (pending_.size() < script_.places && quiet_++ < script_.patience) return 0;
    for (; count < std::min(done.size(), script_.answers) && !pending_.empty(); ++count) {
      done[count] = pending_.front();
      pending_.pop_front();
      answer(*done[count]);
    }
    return count;
  }

 private:
  void answer(Firing& first) {
    if (first.poison) {
      const ActivationPacket& poison = first.poison_header;
      return send_poison(first, static_cast<Code>(poison.status), poison.origin, first.message);
    }
    Firing* const failed = run(first);
    if (first.lost) return;
    if (failed != nullptr) return send_poison(first, failed->code, failed->stage, failed->message);
    for (FiringRoute& route : first.routes) {
      const EdgePlan& edge = plan_->edges[route.edge];
      ActivationPacket header;
      header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
      header.origin = edge.from_stage;
      header.tag = (first.tag & edge.keep) + edge.step;
      header.deadline = first.packet->deadline;
      header.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
      header.region = route.region;
      header.offset = route.offset;
      header.payload_bytes = first.outputs[edge.from_port].bytes;
      seal_route(first, route, header);
    }
  }
  // Runs the firing and those joined to it, each on what the one before wrote. The first that failed; null: none.
  Firing* run(Firing& first) {
    std::vector<Firing*> links{&first};
    links.insert(links.end(), first.joined.begin(), first.joined.end());
    const std::span<woa_output> outputs = first.outputs;
    std::vector<std::uint8_t> carried;
    Firing* failed = nullptr;
    for (std::size_t k = 0; k < links.size() && failed == nullptr; ++k) {
      Firing& link = *links[k];
      std::vector<std::uint8_t> room(kRoom);
      woa_output between{};
      between.data = room.data(), between.capacity = room.size();
      if (k > 0) link.inputs[0].data = carried.data(), link.inputs[0].bytes = carried.size();
      link.outputs = k + 1 == links.size() ? outputs : std::span(&between, 1);
      link.started_ns = now_ns();
      const StagePlan& stage = plan_->stages[link.stage];
      functions_.at(stage.kernel)(link, stage);
      link.ended_ns = now_ns();
      link.cycles = 10 + k;
      if (k > 0) link.inputs[0].data = nullptr, link.outputs = {};
      if (link.code != Code::kOk) failed = &link;
      room.resize(between.bytes);
      carried = std::move(room);
    }
    first.outputs = outputs;
    return failed;
  }
  void send_poison(Firing& first, Code code, std::uint32_t origin, const std::string& message) {
    for (FiringRoute& route : first.routes) {
      ActivationPacket header;
      header.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
      header.flags = message.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(kInline);
      header.status = static_cast<std::uint8_t>(code);
      header.origin = origin;
      header.payload_bytes = message.size();
      seal_route(first, route, header);
    }
  }
  void seal_route(const Firing& first, FiringRoute& route, ActivationPacket& header) {
    const EdgePlan& edge = plan_->edges[route.edge];
    header.instance = first.instance;
    header.stage = edge.to_stage;
    header.port = static_cast<std::uint16_t>(edge.to_port);
    header.sequence = ++sent_[{plan_->stages[edge.to_stage].controller, edge.lane}];
    seal(header);
    route.header = header;
  }

  static constexpr std::size_t kRoom = 1U << 16;
  const DeviceDescription description_{"function", "C++ functions that join stages", false, "device", "none"};
  const Functions& functions_;
  JoiningScript& script_;
  const Plan* plan_ = nullptr;
  Doorbell wakeup_;
  std::deque<Firing*> pending_;
  std::size_t quiet_ = 0;                                                // polls since the last start
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> sent_;  // packets, by controller and lane
};

inline BackendFactory joining_factory(const Functions& functions, JoiningScript& script) {
  BackendFactory factory = function_factory<>(functions);
  factory.make = [&functions, &script](std::uint32_t, const ControllerPlan&) {
    return Result<std::unique_ptr<Backend>>(std::make_unique<JoiningBackend>(functions, script));
  };
  return factory;
}

}  // namespace woa::test
