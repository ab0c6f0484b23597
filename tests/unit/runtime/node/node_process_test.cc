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
#include "tests/support/replica_transport.h"

namespace woa::test {
namespace {

// A wire between hosts, whose other end may have gone. Packets arrive nowhere.
class WireToPeer final : public ReplicaTransport {
 public:
  bool is_gone = false;
  std::latch answers{1};  // until then connect() waits

  Result<std::shared_ptr<Segment>> allocate(std::string_view label, std::size_t bytes) override {
    return memory_.allocate(label, bytes);
  }
  Result<std::shared_ptr<Segment>> adopt(std::unique_ptr<Mapping> mapping) override {
    return memory_.allocate("adopted", mapping->bytes().size());
  }
  Result<std::unique_ptr<Mapping>> map(const std::shared_ptr<Segment>& segment, Access access) override {
    return memory_.map(segment, access);
  }
  Result<std::size_t> channel_bytes(const ChannelSpec& spec) const override { return memory_.channel_bytes(spec); }
  Status connect(const std::shared_ptr<Segment>&, std::string_view) override {
    answers.wait();
    return is_gone ? Status(Code::kPeerLost, "the peer does not answer") : Status();
  }
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                              ChannelEnd end) override {
    return memory_.open_sender(spec, std::move(segment), end);
  }
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                  ChannelEnd end) override {
    return memory_.open_receiver(spec, std::move(segment), end);
  }
  Status close_channel(const ChannelSpec&, const std::shared_ptr<Segment>&) override { return {}; }

 private:
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
    const Layout layout = make_layout(plan, {{0, 0, 1}, wire_.header_room(), {}});
    control::FromHost message;
    control::Hello& hello = *message.mutable_hello();
    hello.set_packet_version(kPacketVersion), hello.set_kernel_abi(WOA_KERNEL_ABI);
    hello.set_plan(serialize(plan)), hello.set_controller(2);
    hello.mutable_sites()->Assign(layout.sites.of.begin(), layout.sites.of.end());
    const auto sizes = need(sizes_of_segments(layout, 1, memory_));
    hello.mutable_sizes()->Assign(sizes.begin(), sizes.end());
    REQUIRE(host_->send(message).ok());
    control::FromNode answer;
    REQUIRE(host_->receive(answer).ok());
    REQUIRE(answer.has_replicas());
    replicas_ = answer.replicas();
  }
  void connect() {
    control::FromHost message;
    *message.mutable_connect()->add_peers() = replicas_;
    REQUIRE(host_->send(message).ok());
  }
  void reach_its_peer() { wire_.answers.count_down(); }
  // Returns when the node could not reach cpu:0, and has said so.
  void lose_its_peer() {
    wire_.is_gone = true;
    wire_.answers.count_down();
    greet();
    connect();
    control::FromNode answer;
    REQUIRE(host_->receive(answer).ok());
    REQUIRE(from_failed(answer.failed()).code() == Code::kPeerLost);
  }
  void stop(const std::string& why) {
    control::FromHost message;
    message.mutable_stop()->set_why(why);
    REQUIRE(host_->send(message).ok());
  }
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
