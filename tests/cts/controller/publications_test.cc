// What a controller sends where its device publishes, packet by packet. The test plays the device, the writer and the
// reader.
#include <array>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/child.h"
#include "tests/support/functions.h"
#include "tests/support/inbox.h"
#include "tests/support/peer_rig.h"
#include "tests/support/plan_builder.h"
#include "tests/support/says.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kToA = 1, kFromA = 2;  // edges

// p on cpu:0, played by the test, writes for a on cpu:1, which writes three bytes for the host; its device publishes.
Plan one_publisher() {
  PlanBuilder builder(1, 1);
  const auto p = builder.stage("p", "copy", "cpu:0"), a = builder.stage("a", "copy", "cpu:1");
  builder.edge(kSourceStage, 0, p, 0);
  builder.edge(p, 0, a, 0);
  builder.edge(a, 0, kSinkStage, 0);
  Plan plan = builder.build();
  plan.controllers[kUnderTest].traits.publishes = Publisher::kWorker;
  plan.stages[a].publishes = Publisher::kWorker;
  plan.stages[a].outputs[0].type = plan.stages[kSinkStage].inputs[0].type = {"u8", {{"", 3, 0}}, 3};
  return plan;
}

// A device that does as the test says.
struct PlayedDevice {
  Start answer = Start::kStarted;
  std::vector<Firing*> started, completed;

  // Of a firing under way.
  void publish(std::size_t firing) const { started.at(firing)->publications[0].store(); }
  void complete(std::size_t firing, Code code = Code::kOk) {
    started.at(firing)->code = code;
    if (code != Code::kOk) started.at(firing)->message = "gone in " + std::to_string(started[firing]->instance);
    completed.push_back(started[firing]);
  }
};

class PlayedBackend final : public Backend {
 public:
  explicit PlayedBackend(PlayedDevice& device) : device_(device) {}
  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan&, std::span<const LoadedStage>, Doorbell) override { return {}; }
  Start start(Firing& firing) noexcept override {
    if (device_.answer == Start::kBusy) return Start::kBusy;
    write(firing, 0, "abc");
    firing.outputs[0].dims[0] = 3;
    device_.started.push_back(&firing);
    return device_.answer;
  }
  std::size_t poll(std::span<Firing*> done) noexcept override {
    const auto completed = std::exchange(device_.completed, {});
    std::copy(completed.begin(), completed.end(), done.begin());
    return completed.size();
  }

 private:
  DeviceDescription description_{"function", "played by the test", false, "host", "none", "worker"};
  PlayedDevice& device_;
};

struct PublishingWorld {
  PlayedDevice device;
  PeerRig rig;

  explicit PublishingWorld(std::unique_ptr<SharedMemory> memory = std::make_unique<LoopbackTransport>())
      : rig(one_publisher(), factory(device), std::move(memory)) {}
  static BackendFactory factory(PlayedDevice& device) {
    BackendFactory made = function_factory(functions());
    made.make = [&device](std::uint32_t, const ControllerPlan&) {
      return Result<std::unique_ptr<Backend>>(std::make_unique<PlayedBackend>(device));
    };
    return made;
  }
  void send(std::uint64_t instance) const {
    rig.push(rig.channel_of(kToA), rig.token(kToA, instance));
    (void)rig.settle();
  }
  void poison(std::uint64_t instance) const {
    const EdgePlan& edge = rig.plan.edges[kToA];
    ActivationPacket packet = poison_header(edge.to_stage, instance, Code::kKernelFailed, edge.from_stage, {});
    rig.push(rig.channel_of(kToA), packet);
    (void)rig.settle();
  }
  [[nodiscard]] Receiver& reader() const { return *rig.host.wiring.receivers[rig.layout.edges[kFromA].channel]; }
  // What has arrived at the sink since the last call: "3" for the token of instance 3, "x3" for its poison.
  [[nodiscard]] std::vector<std::string> arrived() const {
    struct Sink final : PacketSink {
      std::vector<std::string> packets;
      bool on_packet(const ActivationPacket& packet, std::span<const std::byte>) noexcept override {
        const bool is_poison = packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
        packets.push_back((is_poison ? "x" : "") + std::to_string(packet.instance));
        return true;
      }
    } sink;
    if (rig.hosted != nullptr) (void)rig.settle();
    (void)reader().poll(sink, 100);
    CHECK(reader().status().message() == "");
    return sink.packets;
  }
};

using Packets = std::vector<std::string>;

// The host's process reads a token and is killed. Nobody hears of it before the run ends.
void kill_reader(const PublishingWorld& world) {
  Child reader([&] {
    Inbox inbox;
    while (world.reader().poll(inbox, 1) == 0) continue;
    return std::raise(SIGKILL);
  });
  REQUIRE(WIFSIGNALED(reader.wait()));
}

// A world over shm: of three firings the first is out, the last waits for a busy device, and the reader is killed.
struct KilledReader : PublishingWorld {
  KilledReader() : PublishingWorld(std::make_unique<ShmTransport>()) {
    send(0);
    send(1);
    device.answer = Start::kBusy;
    send(2);
    device.publish(0);
    kill_reader(*this);
  }
};

// Tokens that the controller has given back to cpu:0.
std::size_t given_back(const PublishingWorld& world) {
  std::array<BlockReturn, kBuilderWindow> blocks;
  return world.rig.channel_of(kToA).poll_returns(blocks);
}

}  // namespace

TEST_CASE("a packet is out when the device publishes it, before its firing has completed") {
  PublishingWorld world;
  world.send(0);
  world.send(1);
  REQUIRE(world.device.started.size() == 2);
  CHECK(world.arrived() == Packets{});
  world.device.publish(0);
  CHECK(world.arrived() == Packets{"0"});
  world.device.publish(1);
  world.device.complete(1);
  world.device.complete(0);
  CHECK(world.arrived() == Packets{"1"});
  CHECK(world.rig.settle().message() == "");
}

TEST_CASE("an instance that dies when its packet is prepared sends it all the same, and poison follows") {
  PublishingWorld world;
  world.send(0);
  world.poison(0);
  CHECK(world.arrived() == Packets{});
  world.device.publish(0);
  CHECK(world.arrived() == Packets{"0"});
  world.device.complete(0);
  CHECK(world.arrived() == Packets{"x0"});
}

TEST_CASE("while poison waits for its turn the controller publishes for the device, in order") {
  PublishingWorld world;
  world.send(0);
  world.poison(1);
  world.send(2);
  REQUIRE(world.device.started.size() == 2);
  REQUIRE(world.device.started[0]->publications[0].word != nullptr);
  REQUIRE(world.device.started[1]->publications[0].word == nullptr);
  world.device.complete(1);
  CHECK(world.arrived() == Packets{});
  world.device.publish(0);
  world.device.complete(0);
  CHECK(world.arrived() == Packets{"0", "x1", "2"});
}

TEST_CASE("poison takes the place of what a failed firing has not published, and its block is free again") {
  PublishingWorld world;
  world.send(0);
  world.send(1);
  world.device.complete(0, Code::kKernelFailed);
  CHECK(world.arrived() == Packets{"x0"});
  world.device.publish(1);
  world.device.complete(1);
  CHECK(world.arrived() == Packets{"1", "x0"});  // the instance's own, which its reader drops
  for (std::uint64_t i = 2; i < 40; ++i) {
    world.send(i);
    REQUIRE(world.device.started.size() == i + 1);
    world.device.complete(i, Code::kKernelFailed);
    REQUIRE(world.arrived() == Packets(2, "x" + std::to_string(i)));
  }
  CHECK(world.rig.settle().message() == "");
}

TEST_CASE("a device that fails an ordered firing is lost, once those before it have completed") {
  PublishingWorld world;
  world.device.answer = Start::kOrdered;
  for (std::uint64_t i = 0; i < kBuilderWindow; ++i) world.send(i);
  world.device.publish(0);
  world.device.complete(0);
  world.device.complete(2, Code::kUnavailable);
  CHECK(world.arrived() == Packets{"0"});
  CHECK(world.rig.settle().message() == "");
  world.device.complete(1, Code::kUnavailable);
  CHECK(says(world.rig.settle(), "stage 'a', instance 1: the device failed: gone in 1"));
  CHECK(world.arrived() == Packets{"x1", "x2"});
  world.rig.hosted.reset();
  CHECK(world.arrived() == Packets{"x3"});
}

TEST_CASE("a device that fails when it has published is lost") {
  PublishingWorld world;
  world.send(0);
  world.device.publish(0);
  world.device.complete(0, Code::kUnavailable);
  CHECK(says(world.rig.settle(), "stage 'a', instance 0: the device failed: gone in 0"));
  CHECK(world.arrived() == Packets{"0", "x0"});
}

TEST_CASE("where a device may still publish, poison waits until its back-end has gone") {
  PublishingWorld world;
  world.send(0);
  world.device.started[0]->lost = true;
  world.device.complete(0, Code::kUnavailable);
  CHECK(says(world.rig.settle(), "stage 'a': gone in 0"));
  CHECK(world.arrived() == Packets{});
  world.rig.hosted.reset();
  CHECK(world.arrived() == Packets{"x0"});
  CHECK(world.reader().closed());
}

TEST_CASE("a controller that ends before its firings leaves no gap") {
  PublishingWorld world;
  world.send(0);
  world.send(1);
  world.device.publish(0);
  world.rig.hosted.reset();
  CHECK(world.arrived() == Packets{"0", "x1"});
  CHECK(world.reader().closed());
}

TEST_CASE("a reader killed while packets for it are prepared holds no firing up, and gets no gap") {
  struct Row {
    Code code;          // of the second and third firing
    std::size_t freed;  // blocks, for firings that follow
    Packets sent;
  };
  for (const Row& row : {Row{Code::kOk, 0, {"0", "1", "2", "3"}},
                         Row{Code::kKernelFailed, 2, {"0", "x1", "x2", "3", "x1", "x2", "x4", "x5"}}}) {
    KilledReader world;
    world.device.answer = Start::kStarted;
    world.send(3);
    REQUIRE(world.device.started.size() == kBuilderWindow);
    world.device.complete(0);
    for (std::size_t firing = 1; firing < kBuilderWindow; ++firing) {
      const Code code = firing < 3 ? row.code : Code::kOk;
      if (code == Code::kOk) world.device.publish(firing);
      world.device.complete(firing, code);
      if (code != Code::kOk) CHECK(world.rig.settle().message() == "");  // before a later one is published
    }
    CHECK(world.rig.settle().message() == "");
    CHECK(given_back(world) == kBuilderWindow);
    for (std::uint64_t i = 0; i < 3; ++i) world.send(kBuilderWindow + i);
    CHECK(world.device.started.size() == kBuilderWindow + row.freed);
    world.rig.hosted.reset();
    CHECK(world.arrived() == row.sent);
  }
}

TEST_CASE("a controller whose reader was killed ends, though packets are prepared and its device was busy") {
  KilledReader world;
  CHECK(world.rig.settle().message() == "");
  world.rig.hosted.reset();
  CHECK(world.arrived() == Packets{"0", "x1", "x2"});
}

TEST_CASE("a busy device gets the firing that is prepared first, and then the others") {
  PublishingWorld world;
  world.device.answer = Start::kBusy;
  world.send(0);
  world.send(1);
  world.poison(0);
  CHECK(world.device.started.empty());
  world.device.answer = Start::kStarted;
  (void)world.rig.settle();
  REQUIRE(world.device.started.size() == 2);
  CHECK(world.device.started[0]->instance == 0);
  CHECK(world.device.started[1]->instance == 1);
  world.device.publish(0);
  world.device.complete(0);
  world.device.complete(1);
  CHECK(world.arrived() == Packets{"0", "x0", "1"});
}

}  // namespace woa::test
