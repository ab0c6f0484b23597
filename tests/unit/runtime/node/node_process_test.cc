// A node that joined, and a host that the test plays.
#include "runtime/node/node_process.h"

#include <future>
#include <latch>

#include "runtime/node/messages.h"
#include "runtime/plan/plan_file.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/captured_stderr.h"
#include "tests/support/chain_plan.h"
#include "tests/support/functions.h"
#include "tests/support/need.h"

namespace woa::test {
namespace {

// A replica that is connected to none.
class LoneReplica final : public Replica {
 public:
  explicit LoneReplica(std::shared_ptr<SharedSegment> memory) : memory_(std::move(memory)) {}
  std::size_t bytes() const noexcept override { return memory_->bytes(); }
  Result<std::unique_ptr<Mapping>> map(Access access) override { return memory_->map(access); }
  std::string description() const override { return "nowhere"; }
  SharedSegment& memory() { return *memory_; }

 private:
  std::shared_ptr<SharedSegment> memory_;
};

// A wire between hosts, whose other end may have gone. Packets arrive nowhere.
class WireToPeer final : public Wire {
 public:
  bool is_gone = false;
  std::latch answers{1};  // until then connect() waits

  std::string_view name() const noexcept override { return "nowhere"; }
  Result<std::shared_ptr<Replica>> allocate(std::string_view label, std::size_t bytes) override {
    auto memory = memory_.allocate(label, bytes);  // on the node's thread, where Catch may not look
    if (!memory.ok()) return memory.status();
    return std::shared_ptr<Replica>(std::make_shared<LoneReplica>(std::move(*memory)));
  }
  Result<std::shared_ptr<Replica>> adopt(std::unique_ptr<Mapping> mapping) override {
    return allocate("adopted", mapping->bytes().size());
  }
  Result<std::size_t> channel_bytes(const ChannelSpec& spec) const override { return ring_channel_bytes(spec); }
  Status connect(const std::shared_ptr<Replica>&, std::string_view, const std::function<bool()>&) override {
    answers.wait();
    return is_gone ? Status(Code::kPeerLost, "the peer does not answer") : Status();
  }
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                              Doorbell, std::span<const ChannelRegion>) override {
    return memory_.open_sender(spec, memory_of(*replica), {});
  }
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                                  Doorbell, std::span<const ChannelRegion>) override {
    return memory_.open_receiver(spec, memory_of(*replica), {});
  }
  Status close_channel(const ChannelSpec&, const std::shared_ptr<Replica>&) override { return {}; }
  std::uint64_t packets() const noexcept override { return 0; }

 private:
  static SharedSegment& memory_of(Replica& replica) { return dynamic_cast<LoneReplica&>(replica).memory(); }

  ShmTransport memory_;
};

// The node serves cpu:1 alone on its site; cpu:0 is on the host's site.
class Node {
 public:
  Node() {
    auto [host, node] = need(ControlSocket::pair());
    host_.emplace(std::move(host));
    REQUIRE(backends_.add(function_factory(functions())).ok());
    code_ = std::async(std::launch::async, [this, socket = std::move(node)]() mutable {
      return serve_node(std::move(socket), {&backends_, {&memory_, {&wire_}}, {}, {}, false});
    });
  }
  // Returns when the node knows its part of the run and waits for the place of cpu:0.
  void greet() {
    const Plan plan = chain_plan(2);
    const Layout layout = make_layout(plan, {{0, 0, 1}, kHeaderRoom, {}});
    control::Hello hello;
    hello.packet_version = kPacketVersion, hello.kernel_abi = WOA_KERNEL_ABI;
    hello.plan = serialize(plan), hello.controller = 2;
    hello.sites = layout.sites.of;
    hello.sizes = need(sizes_of_segments(layout, 1));
    REQUIRE(host_->send(control::FromHost(hello)).ok());
    control::FromNode answer;
    REQUIRE(host_->receive(answer).ok());
    REQUIRE(std::holds_alternative<control::Replicas>(answer));
    replicas_ = std::get<control::Replicas>(answer);
  }
  void connect() { REQUIRE(host_->send(control::FromHost(control::Connect{{replicas_}})).ok()); }
  void reach_its_peer() { wire_.answers.count_down(); }
  // Returns when the node could not reach cpu:0, and has said so.
  void lose_its_peer() {
    wire_.is_gone = true;
    wire_.answers.count_down();
    greet();
    connect();
    control::FromNode answer;
    REQUIRE(host_->receive(answer).ok());
    REQUIRE(from_failed(std::get<control::Failed>(answer)).code() == Code::kPeerLost);
  }
  void stop(const std::string& why) { REQUIRE(host_->send(control::FromHost(control::Stop{why})).ok()); }
  void close() { host_.reset(); }
  int code() { return code_.get(); }

 private:
  ShmTransport memory_;
  WireToPeer wire_;
  BackendRegistry backends_;
  control::Replicas replicas_;
  std::optional<ControlSocket> host_;
  std::future<int> code_;
};

}  // namespace

TEST_CASE("a node that lost another while it was set up says what the run failed of") {
  const CapturedStderr said;
  Node node;
  node.lose_its_peer();
  node.stop("controller 'cpu:0': no such key");
  REQUIRE(node.code() == 1);
  REQUIRE(said.text().find("the run failed: controller 'cpu:0': no such key") != std::string::npos);
  REQUIRE(said.text().find("does not answer") == std::string::npos);
}

TEST_CASE("a node that is ready after the run has failed says what the run failed of") {
  const CapturedStderr said;
  Node node;
  node.greet();
  node.connect();
  node.stop("controller 'cpu:0': no such key");
  node.close();
  node.reach_its_peer();
  REQUIRE(node.code() == 1);
  REQUIRE(said.text().find("the run failed: controller 'cpu:0': no such key") != std::string::npos);
  REQUIRE(said.text().find("gone") == std::string::npos);
}

TEST_CASE("where the run says nothing, it says what it saw") {
  const CapturedStderr said;
  Node node;
  node.lose_its_peer();
  node.close();
  REQUIRE(node.code() == 1);
  REQUIRE(said.text().find("the peer does not answer") != std::string::npos);
}

}  // namespace woa::test
