#include "tests/integration/semantics/driven_run.h"

#include <memory>
#include <utility>

#include "runtime/memory/by_instance.h"
#include "runtime/node/host_backend.h"
#include "runtime/node/hosted_controller.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/integration/semantics/devices_under_test.h"

namespace woa::test {
namespace {

// Duty cycles of every controller without any work after which there will be none: controllers look for returned blocks
// once in 16 (runtime/controller/controller.cc).
constexpr int kStill = 40;

class Driver final : public InstanceObserver {
 public:
  Driver(const Plan& plan, const Functions& kernels, std::uint32_t seed, Way way, std::uint64_t alike = 1)
      : plan_(for_devices(plan, kinds_)),
        random_(seed),
        devices_(kinds_, kernels, random_),
        way_(way),
        alike_(alike),
        layout_(make_layout(plan_)) {}

  Driven run(std::uint64_t instances) {
    driven_.status = start();
    while (driven_.status.ok() && !driven_.stands_still && ended_ < instances) step(instances);
    return std::move(driven_);
  }

  Driven run_counted(std::uint64_t instances) {
    counted_ = true;
    driven_.status = start();
    while (driven_.status.ok() && !driven_.stands_still && ended_ < instances) {
      while (driven_.status.ok() && !driven_.stands_still && ended_ == oldest_) step(oldest_ + 1);
      while (driven_.status.ok() && !nothing_more_to_do()) continue;
      controllers_[kHostController]->controller().retire(++oldest_);
      controllers_[kHostController]->doorbell().ring();
    }
    for (const auto& controller : controllers_) count(controller->controller());
    return std::move(driven_);
  }

 private:
  void count(const Controller& controller) {
    const std::vector<EdgeStats>& counted = controller.stats().edges;
    driven_.edges.resize(plan_.edges.size());
    for (std::size_t e = 0; e < counted.size(); ++e) {
      driven_.edges[e].messages += counted[e].messages;
      driven_.edges[e].payload_bytes += counted[e].payload_bytes;
    }
    driven_.traces.emplace_back(controller.trace().begin(), controller.trace().end());
  }

  Status start() {
    auto segments = allocate_segments(layout_, 0, transport_);
    if (!segments.ok()) return segments.status();
    segments_ = std::move(*segments);
    for (std::uint32_t c = 0; c < plan_.controllers.size(); ++c) {
      auto made = make(c);
      if (!made.ok()) return made.status();
      controllers_.push_back(std::move(*made));
      slowness_.push_back(1 + random_() % 4);
    }
    return {};
  }

  Result<std::unique_ptr<HostedController>> make(std::uint32_t c) {
    HostedControllerSetup setup;
    setup.plan = &plan_;
    setup.layout = &layout_;
    setup.id = c;
    setup.transports = {&transport_, {}};
    setup.segments = &segments_;
    setup.general_way = way_ == Way::kGeneral;
    setup.trace_limit = counted_ ? ~std::uint64_t{0} : 0;
    if (c == kHostController) {
      auto host = std::make_unique<HostBackend>([this](std::uint64_t instance, std::span<const GraphOutput> outputs) {
        succeed(instance, outputs);
        return HostBackend::Taken::kDone;
      });
      host_ = host.get();
      setup.backend = std::move(host);
      setup.observer = this;
    } else {
      setup.backend = devices_.make(plan_.controllers[c]);
    }
    return HostedController::make(std::move(setup));
  }

  // One duty cycle of one controller that is awake, perhaps with an instance admitted before.
  void step(std::uint64_t instances) {
    const bool may_admit = admitted_ < std::min(instances, oldest_ + plan_.window);
    if (may_admit && random_() % 2 == 0) admit();
    const std::size_t c = random_() % controllers_.size();
    if (random_() % slowness_[c] != 0) return;
    if (is_asleep(c)) {  // for ever, if all are: what came has rung for nobody
      driven_.stands_still = !may_admit && std::ranges::all_of(controllers_, is_prepared);
      return;
    }
    const std::size_t done = work(c);
    if (done > 0 || may_admit) idle_ = 0;
    if (done == 0 && random_() % 2 == 0) go_to_sleep(c);
    if (++idle_ > kStill) driven_.stands_still = nothing_more_to_do();
  }

  static bool is_prepared(const std::unique_ptr<HostedController>& controller) {
    return controller->doorbell().prepared();
  }
  [[nodiscard]] bool is_asleep(std::size_t c) const { return is_prepared(controllers_[c]); }

  // As Idle does it, but only a ring wakes the controller. Devices of these tests ring for nobody.
  void go_to_sleep(std::size_t c) {
    if (devices_.busy()) return;
    HostedController& controller = *controllers_[c];
    const Doorbell::For what = controller.controller().awaits();
    controller.doorbell().prepare(what);
    if (work(c) > 0 || controller.controller().awaits() != what) controller.doorbell().cancel();
  }

  std::size_t work(std::size_t c) {
    const std::size_t done = controllers_[c]->controller().do_work();
    if (const Status& status = controllers_[c]->controller().status(); !status.ok()) driven_.status = status;
    if (devices_.read_what_changed()) driven_.status = {Code::kInternal, "an input changed while its firing ran"};
    return done;
  }

  bool nothing_more_to_do() {
    idle_ = 0;
    for (const auto& controller : controllers_) controller->doorbell().cancel();
    for (int round = 0; round < kStill; ++round) {
      for (std::size_t c = 0; c < controllers_.size(); ++c) {
        if (work(c) > 0 || !driven_.status.ok()) return false;
      }
    }
    return !devices_.busy();
  }

  void admit() {
    host_->set_inputs(admitted_, [this, number = admitted_ / alike_](std::uint32_t, std::span<std::byte> room) {
      const std::string payload = devices_.payload(std::to_string(number), room.size());
      std::copy_n(reinterpret_cast<const std::byte*>(payload.data()), payload.size(), room.begin());
      return Result<std::uint64_t>(payload.size());
    });
    open_[admitted_] = true;
    controllers_[kHostController]->controller().admit(admitted_++, 0);
    controllers_[kHostController]->doorbell().ring();
  }

  void succeed(std::uint64_t instance, std::span<const GraphOutput> outputs) {
    std::vector<std::string> texts;
    for (const GraphOutput& output : outputs) {
      texts.push_back(devices_.text({reinterpret_cast<const char*>(output.payload.data()), output.payload.size()}));
      if (output.absent) texts.back() = "absent";
    }
    end(instance);
    if (!driven_.outputs.emplace(instance, std::move(texts)).second) again();
  }
  void on_poisoned(std::uint64_t instance, Code code, std::uint32_t, std::string_view) noexcept override {
    end(instance);
    if (!driven_.failures.emplace(instance, code).second) again();
  }
  void again() { driven_.status = {Code::kInternal, "an instance ended twice"}; }

  void end(std::uint64_t instance) {
    ++ended_;
    if (counted_) return;
    open_[instance] = false;
    while (oldest_ < admitted_ && !open_[oldest_]) ++oldest_;
    controllers_[kHostController]->controller().retire(oldest_);
  }

  const Devices kinds_ = devices_under_test();
  const Plan plan_;
  std::mt19937 random_;
  DevicesUnderTest devices_;
  const Way way_;
  const std::uint64_t alike_;
  bool counted_ = false;
  const Layout layout_;
  LoopbackTransport transport_;
  Segments segments_;
  Driven driven_;
  HostBackend* host_ = nullptr;  // owned by its controller
  ByInstance<bool> open_{plan_.window};
  std::uint64_t admitted_ = 0, oldest_ = 0, ended_ = 0;
  int idle_ = 0;
  std::vector<unsigned> slowness_;  // by controller: it goes on once per so many times that it is chosen
  std::vector<std::unique_ptr<HostedController>> controllers_;  // last: they use the rest
};

}  // namespace

bool kernels_run_in_any_order() { return devices_under_test() == Devices::kPlain; }

Driven drive(const Plan& plan, const Functions& kernels, std::uint64_t instances, std::uint32_t seed, Way way) {
  return Driver(plan, kernels, seed, way).run(instances);
}

Driven drive_counted(const Plan& plan, const Functions& kernels, std::uint64_t instances, std::uint32_t seed,
                     std::uint64_t alike) {
  return Driver(plan, kernels, seed, Way::kShort, alike).run_counted(instances);
}

}  // namespace woa::test
