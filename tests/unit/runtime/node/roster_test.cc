// The nodes that joined, and the controller that each gets.
#include "runtime/node/roster.h"

#include "tests/support/catch.h"
#include "tests/support/chain_plan.h"
#include "tests/support/need.h"

namespace woa::test {
namespace {

// Nodes with the other ends of their sockets.
struct Nodes {
  std::vector<ControlSocket> ends;
  JoinedNode make(const std::string& address) {
    auto pair = need(ControlSocket::pair());
    ends.push_back(std::move(pair.second));
    return {std::move(pair.first), address};
  }
  Code join(Roster& roster, const std::string& address, const std::string& wanted = {}, JobPlace job = {}) {
    JoinedNode node = make(address);
    return roster.take(node, wanted, job).code();
  }
};

}  // namespace

TEST_CASE("who asks for a controller gets it, and the others get what is left, as they came") {
  const Plan plan = chain_plan(3);
  Roster roster(plan, 3, {});
  Nodes nodes;
  REQUIRE(nodes.join(roster, "x") == Code::kOk);
  REQUIRE(nodes.join(roster, "y", "cpu:0") == Code::kOk);
  REQUIRE_FALSE(roster.complete());
  REQUIRE(nodes.join(roster, "z") == Code::kOk);
  REQUIRE(roster.complete());
  const JoinedNodes joined = std::move(roster).assign();
  REQUIRE(joined.size() == 3);
  REQUIRE(joined.at(1).address == "y");
  REQUIRE(joined.at(2).address == "x");
  REQUIRE(joined.at(3).address == "z");
}

TEST_CASE("one node more than were to join is not taken") {
  const Plan plan = chain_plan(3);
  Roster roster(plan, 1, {});
  Nodes nodes;
  REQUIRE(nodes.join(roster, "x") == Code::kOk);
  REQUIRE(nodes.join(roster, "y") == Code::kUnavailable);
  REQUIRE(nodes.join(roster, "z", "cpu:2") == Code::kUnavailable);
  REQUIRE(roster.complete());
  REQUIRE(std::move(roster).assign().at(1).address == "x");
}

TEST_CASE("the host, a controller that is not there, or one that is taken cannot be had") {
  const Plan plan = chain_plan(3);
  Roster roster(plan, 3, {});
  Nodes nodes;
  REQUIRE(nodes.join(roster, "x", "host") == Code::kNotFound);
  REQUIRE(nodes.join(roster, "x", "cpu:3") == Code::kNotFound);
  REQUIRE(nodes.join(roster, "x", "cpu:2") == Code::kOk);
  REQUIRE(nodes.join(roster, "y", "cpu:2") == Code::kInvalid);
  REQUIRE(roster.present() == "1 of 3 nodes (x for cpu:2)");
  REQUIRE(roster.missing() == "cpu:0 and cpu:1");
}

TEST_CASE("ranks of a job: each once, of a job of the right size, and the missing ones by number") {
  const Plan plan = chain_plan(3);
  Roster roster(plan, 3, {});
  Nodes nodes;
  REQUIRE(nodes.join(roster, "x", {}, {1, 3}) == Code::kOk);
  REQUIRE(nodes.join(roster, "y", {}, {1, 3}) == Code::kInvalid);
  REQUIRE(roster.missing() == "rank 0 and rank 2");
  REQUIRE_FALSE(roster.hopeless());
  REQUIRE(nodes.join(roster, "y", {}, {0, 4}) == Code::kUnavailable);
  REQUIRE(roster.hopeless());
  for (std::uint32_t rank = 1; rank < 4; ++rank) {
    REQUIRE_FALSE(roster.all_told());
    REQUIRE(nodes.join(roster, "y", {}, {rank, 4}) == Code::kUnavailable);
  }
  REQUIRE(roster.all_told());
}

TEST_CASE("of a job that the run is part of, its own rank is no node") {
  const Plan plan = chain_plan(3);
  Roster roster(plan, 2, {0, 3});
  Nodes nodes;
  REQUIRE(roster.missing() == "rank 1 and rank 2");
  REQUIRE(nodes.join(roster, "x", {}, {0, 3}) == Code::kInvalid);
  REQUIRE(nodes.join(roster, "x", {}, {2, 3}) == Code::kOk);
  REQUIRE(roster.missing() == "rank 1");
  REQUIRE(nodes.join(roster, "y", {}, {1, 2}) == Code::kUnavailable);
  REQUIRE(roster.hopeless());
  REQUIRE(roster.all_told());  // the run is the other one
}

TEST_CASE("who leaves is missed again") {
  const Plan plan = chain_plan(3);
  Roster roster(plan, 2, {});
  Nodes nodes;
  REQUIRE(nodes.join(roster, "x") == Code::kOk);
  nodes.ends.clear();  // x is gone
  REQUIRE(roster.leave(roster.sockets().front()) == "x left");
  REQUIRE(roster.present() == "0 of 2 nodes");
}

}  // namespace woa::test
