// The memory of a run: one segment, in which every process finds the same parts.
#include "runtime/node/segments.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/catch.h"
#include "tests/support/chain_plan.h"
#include "tests/support/mapped_backend.h"
#include "tests/support/need.h"
#include "tests/support/publishing_backend.h"

namespace woa::test {
namespace {

int copy_of(const SharedSegment& segment) { return fcntl(segment.descriptor(), F_DUPFD_CLOEXEC, 0); }

std::byte& first_byte(const std::shared_ptr<SharedSegment>& segment, std::vector<std::unique_ptr<Mapping>>& kept) {
  kept.push_back(need(segment->map(Access::kReadWrite)));
  return kept.back()->bytes().front();
}

}  // namespace

TEST_CASE("whatever a run needs has one descriptor, and a node finds its parts where the host put them") {
  const Plan plan = chain_plan(2);
  const Layout layout = make_layout(plan);
  ShmTransport transport;
  const Segments host = need(allocate_segments(layout, 0, transport));
  std::vector<std::unique_ptr<Mapping>> kept;
  unsigned mark = 0;
  for (const auto* pieces : {&host.channels, &host.regions}) {
    for (const auto& piece : *pieces) {
      REQUIRE(piece->descriptor() == host.whole->descriptor());
      first_byte(piece, kept) = static_cast<std::byte>(++mark);
    }
  }
  for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) {
    const Segments node = need(open_segments(layout, c, copy_of(*host.whole)));
    mark = 0;
    for (std::size_t k = 0; k < layout.channels.size(); ++k) {
      ++mark;
      REQUIRE((node.channels[k] != nullptr) == uses_channel(layout.channels[k], c));
      if (node.channels[k] != nullptr) REQUIRE(first_byte(node.channels[k], kept) == static_cast<std::byte>(mark));
    }
    for (std::size_t k = 0; k < layout.regions.size(); ++k) {
      ++mark;
      REQUIRE((node.regions[k] != nullptr) == uses_region(layout.regions[k], c));
      if (node.regions[k] != nullptr) REQUIRE(first_byte(node.regions[k], kept) == static_cast<std::byte>(mark));
    }
  }
}

TEST_CASE("a node refuses what is not its run's memory") {
  const Plan plan = chain_plan(2);
  const Layout layout = make_layout(plan);
  ShmTransport transport;
  const auto open = [&](int descriptor) { return open_segments(layout, 1, descriptor).status().code(); };
  const Segments host = need(allocate_segments(layout, 0, transport));
  REQUIRE(open(copy_of(*host.whole)) == Code::kOk);
  REQUIRE(open(-1) == Code::kInvalid);
  REQUIRE(open(copy_of(*need(transport.allocate("other", 8192)))) == Code::kInvalid);
  REQUIRE(open(memfd_create("loose", MFD_CLOEXEC)) == Code::kInvalid);
}

TEST_CASE("a site's memory holds what its controllers use, and nothing of others") {
  const Plan plan = chain_plan(3);
  const Layout layout = make_layout(plan, {{0, 0, 0, 3}, 64});  // the host, cpu:0 and cpu:1; cpu:2
  ShmTransport transport;
  const Segments here = need(allocate_segments(layout, 0, transport));
  const Segments there = need(allocate_segments(layout, 3, transport));
  for (std::size_t k = 0; k < layout.channels.size(); ++k) {
    const ChannelLayout& channel = layout.channels[k];
    REQUIRE(channel.wire.has_value() == (channel.from == 3 || channel.to == 3));
    REQUIRE((here.channels[k] != nullptr) == !channel.wire);
    REQUIRE(there.channels[k] == nullptr);
  }
  std::size_t crossing = 0;
  for (std::size_t k = 0; k < layout.regions.size(); ++k) {
    const bool crosses = uses_region(layout.regions[k], 3);  // what cpu:2 reads and what it writes
    REQUIRE((layout.regions[k].header_room != 0) == crosses);
    REQUIRE((here.regions[k] != nullptr) == !crosses);  // its one user here has a replica of its own
    REQUIRE(there.regions[k] == nullptr);
    crossing += crosses ? 1 : 0;
  }
  REQUIRE(crossing == 2);
}

TEST_CASE("a reader's region can be read only, unless its back-end may register it") {
  for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{1} << 20}) {
    Plan plan = chain_plan(2);  // cpu:0, cpu:1
    for (ControllerPlan& controller : plan.controllers) controller.traits.registers = budget;
    const Layout layout = make_layout(plan);
    ShmTransport transport;
    const Segments host = need(allocate_segments(layout, 0, transport));
    for (std::uint32_t c = 1; c < plan.controllers.size(); ++c) {
      const Segments node = need(open_segments(layout, c, copy_of(*host.whole)));
      const ControllerWiring ends = need(open_wiring(layout, c, node, {&transport, {}}));
      const auto mappings = backend_mappings(plan, layout, c, node, ends.wiring);
      REQUIRE(mappings.size() == 2);  // what it reads and what it writes
      for (const BackendMapping& mapping : mappings) {
        const bool writes = layout.regions[mapping.region.value()].producer == c;
        CHECK(mapping.access == (writes ? Access::kReadWrite : Access::kRead));
        CHECK(mapping.may_register == (budget != 0));
        CHECK(mapping.bytes.data() == ends.wiring.regions[*mapping.region].data());
        CHECK(mapping.bytes.size() == layout.regions[*mapping.region].bytes());
        const Reach first = reach(&mapping.bytes.front()), last = reach(&mapping.bytes.back());
        CHECK((first.read && last.read));
        CHECK(first.written == (writes || budget != 0));
        CHECK(last.written == first.written);
      }
    }
  }
}

TEST_CASE("a back-end is shown its rings before its regions, each with a name for messages") {
  const Plan plan = with_publishing(chain_plan(1));
  const Layout layout = make_layout(plan);
  ShmTransport transport;
  const Segments host = need(allocate_segments(layout, 0, transport));
  const ControllerWiring ends = need(open_wiring(layout, 1, host, {&transport, {}}));
  std::vector<std::string> names;
  for (const BackendMapping& mapping : backend_mappings(plan, layout, 1, host, ends.wiring)) {
    names.push_back(mapping.what);
    CHECK(mapping.may_register == !mapping.region.has_value());  // a ring always
  }
  CHECK(names == std::vector<std::string>{"packets for controller 'host'", "payloads of output 'in0' of stage 'source'",
                                          "payloads of output 'out0' of stage 'a'"});
}

}  // namespace woa::test
