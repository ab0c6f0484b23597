// The cost of a placement under each call model, against the table of docs/call-models.md: messages, payload and loads
// counted edge by edge.
#include "compiler/place/placement_problem.h"

#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <string>

#include "compiler/compiler.h"
#include "compiler/place/call_route.h"
#include "compiler/place/certify.h"
#include "compiler/place/solver/solve.h"
#include "compiler/place/solver/symmetry.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/place/any_table.h"

namespace woa::test {
namespace {

using assign::Placement;

// Messages of a token, by that table.
std::uint64_t messages(const std::string& model, std::uint32_t a, std::uint32_t b, const EdgeCosts& edge) {
  const std::uint64_t apart = a != b, leaves = a != kHost, enters = b != kHost;
  if (model == "woa" || (model == "rpc-fused" && edge.count)) return apart;
  if (model == "rpc-fused") return apart * (leaves + enters);
  if (model == "rpc-hub") return leaves + enters;
  if (model == "rpc-polled") return (edge.count ? 1 : 2) * leaves + enters;  // nobody asks for a count
  return edge.to == kSink ? 0 : 2 * apart;                                   // nested; outputs ride on returns
}
// How often a token's payload crosses.
std::uint64_t crossings(const std::string& model, std::uint32_t a, std::uint32_t b) {
  const std::uint64_t apart = a != b, leaves = a != kHost, enters = b != kHost;
  if (model == "woa" || model == "rpc-nested") return apart;
  return model == "rpc-fused" ? apart * (leaves + enters) : leaves + enters;
}

// Some edges carry counts, some the elements of a scatter, and some have tokens that no firing reads.
void add_kinds_of_edges(CostTable& table) {
  for (EdgeCosts& edge : table.edges) {
    const std::uint32_t kind = any(0, 3);
    if (edge.to != kSink && kind == 1) edge.count = true, edge.calls = false, edge.bytes = 0;
    if (kind == 2) edge.requests = kPerMillion * any(1, 2);
    if (kind != 3) continue;
    edge.unread = kPerMillion * any(0, static_cast<std::uint32_t>(edge.tokens / kPerMillion));
    edge.unread_bytes = kPerMillion * any(0, static_cast<std::uint32_t>(edge.bytes / kPerMillion));
  }
}

// A message, or payload that rides on another.
struct Sent {
  std::uint32_t from, to;
  std::uint64_t tokens, bytes;
};
// All that an edge sends, by docs/call-models.md.
std::vector<Sent> sent(const std::string& model, std::uint32_t a, std::uint32_t b, const EdgeCosts& edge) {
  const std::uint64_t read = edge.tokens - edge.unread, read_bytes = edge.bytes - edge.unread_bytes;
  if (model == "woa" || (model == "rpc-fused" && edge.count)) return {{a, b, edge.tokens, edge.bytes}};
  if (model == "rpc-nested" && edge.to == kSink) return {};
  if (model == "rpc-nested") return {{a, b, edge.tokens, edge.bytes}, {b, a, edge.tokens, 0}};
  if (model == "rpc-fused" && a == b) return {};
  if (model == "rpc-fused") return {{a, kHost, edge.tokens, edge.bytes}, {kHost, b, edge.tokens, edge.bytes}};
  std::vector<Sent> all = {{a, kHost, edge.tokens, edge.bytes}, {kHost, b, read, read_bytes}};
  if (model == "rpc-polled" && !edge.count) all.push_back({kHost, a, edge.requests.value_or(edge.tokens), 0});
  return all;
}

// Under rpc-nested: outputs on each hop of their ways back; all but the first on a return are messages of their own.
std::vector<Sent> ridden(const CostTable& table, const Placement& placement) {
  std::vector<Sent> all;
  std::vector<bool> taken(table.stages.size(), false);
  const auto calls = [&](std::uint32_t s) {
    return std::ranges::find_if(table.edges, [&](const EdgeCosts& edge) { return edge.calls && edge.to == s; });
  };
  for (const EdgeCosts& edge : table.edges) {
    std::uint32_t s = edge.from;
    for (std::size_t hops = 0; edge.to == kSink && calls(s) != table.edges.end() && hops < taken.size(); ++hops) {
      const std::uint32_t caller = calls(s)->from;
      all.push_back({placement[s], placement[caller], taken[s] ? edge.tokens : 0, edge.bytes});
      taken[s] = true, s = caller;
    }
  }
  return all;
}

// All that an instance sends: its edges, outputs that ride, and under rpc-polled polls and their answers.
std::vector<Sent> all_sent(const std::string& model, const CostTable& table, const Placement& placement) {
  std::vector<Sent> all;
  if (model == "rpc-nested") all = ridden(table, placement);
  for (const EdgeCosts& edge : table.edges)
    std::ranges::copy(sent(model, placement[edge.from], placement[edge.to], edge), std::back_inserter(all));
  for (std::uint32_t s = kSink + 1; model == "rpc-polled" && s < table.stages.size(); ++s) {
    const auto counts = [&](const EdgeCosts& edge) { return edge.count && edge.from == s; };
    all.push_back({kHost, placement[s], table.stages[s].firings, 0});
    if (std::ranges::none_of(table.edges, counts)) all.push_back({placement[s], kHost, table.stages[s].firings, 0});
  }
  return all;
}

}  // namespace

TEST_CASE("the serial time of a placement is its stages' time, its messages and its payload") {
  CHECK(rc::check([] {
    CostTable table = any_table();
    for (EdgeCosts& edge : table.edges)
      if (edge.to != kSink && *rc::gen::inRange(0, 4) == 0) edge.count = true, edge.bytes = 0;
    mark_calls(table);
    const Placement placement = any_placement(table);
    for (const std::string_view name : kCallModels) {
      const std::string model(name);
      const auto problem = placement_problem(table, {.model = model});
      RC_ASSERT(problem.ok());
      Sum expected = 0;
      for (std::uint32_t s = kSink + 1; s < table.stages.size(); ++s) {
        const std::uint64_t firings = table.stages[s].firings / kPerMillion;
        expected += firings * static_cast<std::uint64_t>(table.stages[s].time_ps[placement[s]]);
        const bool counts =
            std::ranges::any_of(table.edges, [&](const EdgeCosts& edge) { return edge.count && edge.from == s; });
        if (model == "rpc-polled") expected += firings * (counts ? 1 : 2) * 7;  // the count answers
      }
      for (const EdgeCosts& edge : table.edges) {
        const std::uint32_t a = placement[edge.from], b = placement[edge.to];
        expected += edge.tokens / kPerMillion * 7 * messages(model, a, b, edge);
        if (model == "rpc-nested" && edge.to == kSink) continue;
        expected += edge.bytes / kPerMillion * crossings(model, a, b);
      }
      for (const Sent& one : model == "rpc-nested" ? ridden(table, placement) : std::vector<Sent>())
        if (one.from != one.to) expected += one.tokens / kPerMillion * 7 + one.bytes / kPerMillion;
      RC_ASSERT(assign::evaluate(*problem, placement).sum == expected);
    }
  }));
}

TEST_CASE("the time between instances is the largest load of a controller, of shared cores, or of a link") {
  CHECK(rc::check([] {
    CostTable table = any_table();
    const auto k = static_cast<std::uint32_t>(table.components.size());
    table.cores["all"] = any(1, 2);
    for (std::uint32_t l = 1; l < k; ++l)
      if (*rc::gen::arbitrary<bool>()) table.components[l].cores = "all";
    if (k > 2) table.links[1 * k + 2].direct = false;
    add_kinds_of_edges(table);
    const Placement placement = any_placement(table);
    for (const std::string_view any_model : kCallModels) {
      const std::string model(any_model);
      const auto problem = placement_problem(table, {.model = model, .objective = "throughput"});
      RC_ASSERT(problem.ok());
      std::map<std::string, std::uint64_t> loads;
      for (std::uint32_t s = kSink + 1; s < table.stages.size(); ++s) {
        const ComponentCosts& at = table.components[placement[s]];
        const std::uint64_t time =
            table.stages[s].firings / kPerMillion * static_cast<std::uint64_t>(table.stages[s].time_ps[placement[s]]);
        loads[at.controller] += (time + at.workers - 1) / at.workers;
        if (!at.cores.empty()) loads["cores"] += (time + table.cores["all"] - 1) / table.cores["all"];
      }
      const auto cross = [&](std::uint32_t x, std::uint32_t y, std::uint64_t bytes) {
        if (x != y) loads[std::to_string(x) + ">" + std::to_string(y)] += bytes / kPerMillion;
      };
      std::uint64_t cheapest = ~std::uint64_t{0};  // message of those that share the cores
      for (const ComponentCosts& each : table.components)
        if (!each.cores.empty()) cheapest = std::min(cheapest, each.message_ps);
      const auto send = [&](std::uint32_t x, std::uint32_t y, std::uint64_t tokens) {
        for (const std::uint32_t end : {x, y}) {
          if (x == y) continue;
          const ComponentCosts& at = table.components[end];
          loads[at.controller] += (at.message_ps * tokens / kPerMillion + at.workers - 1) / at.workers;
          if (at.cores.empty()) continue;
          const std::uint64_t cores = table.cores["all"];
          loads["cores"] += (cheapest * tokens / kPerMillion + cores - 1) / cores;
        }
      };
      for (const Sent& one : all_sent(model, table, placement)) {
        const bool by_host = one.from == 1 && one.to == 2;
        if (by_host) cross(one.from, kHost, one.bytes), cross(kHost, one.to, one.bytes);
        if (!by_host) cross(one.from, one.to, one.bytes);
        send(one.from, one.to, one.tokens);
      }
      std::uint64_t largest = 0;
      for (const auto& [name, load] : loads) largest = std::max(largest, load);
      RC_ASSERT(assign::evaluate(*problem, placement).objective == largest);
    }
  }));
}

TEST_CASE("a message takes time of both its ends, and of the host if that passes it on") {
  CostTable table;
  for (const char* name : {"host", "cpu:0", "cpu:1"}) table.components.emplace_back().controller = name;
  table.components[0].message_ps = 5, table.components[1].message_ps = 3, table.components[2].message_ps = 4;
  table.links.assign(9, {100, 0, true});
  for (int s = 0; s < 4; ++s) table.stages.emplace_back().time_ps = {0, kNowhere_ps, kNowhere_ps};
  table.stages[2].time_ps = table.stages[3].time_ps = {kNowhere_ps, 10, 10};
  table.edges = {{0, 2, kPerMillion, 0}, {2, 3, 100 * kPerMillion, 0}, {3, 1, kPerMillion, 0}};
  const auto load = [&](const std::string& model, const std::string& of, const Placement& placement) {
    const auto problem = placement_problem(table, {.model = model, .objective = "throughput"});
    REQUIRE(problem.ok());
    const auto row =
        std::ranges::find_if(problem->rows, [&](const assign::Row& each) { return each.name == "load of " + of; });
    return row == problem->rows.end() ? -1 : static_cast<int>(assign::sum_of(*row, *problem, placement));
  };
  CHECK(load("woa", "cpu:0", {0, 0, 1, 2}) == 10 + 3 * 101);
  CHECK(load("woa", "cpu:1", {0, 0, 1, 2}) == 10 + 4 * 101);
  CHECK(load("woa", "host", {0, 0, 1, 2}) == 5 * 2);
  CHECK(load("woa", "cpu:0", {0, 0, 1, 1}) == 20 + 3 * 2);
  CHECK(load("rpc-hub", "host", {0, 0, 1, 1}) == 5 * (1 + 200 + 1));
  CHECK(load("rpc-hub", "cpu:0", {0, 0, 1, 1}) == 20 + 3 * 202);
  CHECK(load("rpc-polled", "cpu:1", {0, 0, 1, 2}) == 10 + 4 * (100 + 2 + 2));  // polls, requests and answers
  // 100 elements, and their number.
  table.edges[1].requests = kPerMillion;
  table.edges.push_back({2, 3, kPerMillion, 0, true});
  CHECK(load("rpc-polled", "cpu:0", {0, 0, 1, 2}) == 10 + 3 * (1 + 1 + 1 + 100 + 1));  // call, poll, request, elements
  CHECK(load("rpc-polled", "host", {0, 0, 1, 2}) == 5 * (1 + (1 + 1 + 1 + 200 + 1) + (1 + 1 + 2)));
  CHECK(load("rpc-fused", "cpu:0", {0, 0, 1, 2}) == 10 + 3 * (1 + 100 + 1));
  CHECK(load("rpc-fused", "host", {0, 0, 1, 2}) == 5 * (1 + 200 + 1));  // the number goes straight
  table.edges[1].requests.reset(), table.edges.pop_back();
  // A caller keeps what no firing reads.
  table.edges[1].unread = 90 * kPerMillion;
  CHECK(load("rpc-hub", "cpu:1", {0, 0, 1, 2}) == 10 + 4 * (10 + 1));
  CHECK(load("rpc-hub", "host", {0, 0, 1, 2}) == 5 * (1 + 100 + 10 + 1));
  CHECK(load("woa", "cpu:1", {0, 0, 1, 2}) == 10 + 4 * 101);
  // A graph's outputs ride on returns.
  CHECK(load("rpc-nested", "cpu:1", {0, 0, 1, 2}) == 10 + 4 * 200);
}

TEST_CASE("stages that run on one core need its parts of an fpga once, and memory each") {
  CostTable table;
  table.components = {{"host", 1, {}, {}}, {"cpu:0", 1, {}, {}}, {"fpga:0", 1, {{"luts", 100}, {"memory", 100}}, {}}};
  table.links.assign(9, {10, 0, true});
  for (std::size_t l = 0; l < 3; ++l) table.links[l * 3 + l] = {};
  table.stages.assign(5, {{0, kNowhere_ps, kNowhere_ps}, kPerMillion, {}});
  for (std::size_t s = 2; s < 5; ++s) {
    table.stages[s] = {{kNowhere_ps, 50, 5}, kPerMillion, {{}, {}, {{"luts", 60}, {"memory", 30}}}};
    table.stages[s].core = "sharpen";
  }
  table.edges = {{0, 2, kPerMillion, 0}, {2, 3, kPerMillion, 0}, {3, 4, kPerMillion, 0}, {4, 1, kPerMillion, 0}};
  const auto value = [&](const Placement& placement, const PlacementGoal& goal = {}) {
    const auto problem = placement_problem(table, goal);
    REQUIRE(problem.ok());
    return assign::evaluate(*problem, placement);
  };
  CHECK(value({0, 0, 2, 2, 2}).broken.empty());
  CHECK(value({0, 0, 2, 2, 2}, {.objective = "throughput"}).objective == 15);  // one after the other
  table.components[2].resources["memory"] = 89;
  CHECK(value({0, 0, 2, 2, 2}).broken == "memory of fpga:0");
  CHECK(value({0, 0, 2, 2, 1}).broken.empty());
  table.stages[4].core = "blur";
  CHECK(value({0, 0, 2, 1, 2}).broken == "luts of fpga:0");
  table.components[2].resources["sms"] = 1;  // which are each stage's own, as memory is
  for (const std::size_t s : {2, 3}) table.stages[s].resources[2]["sms"] = 1;
  CHECK(value({0, 0, 2, 2, 1}).broken == "sms of fpga:0");
  table.stages[3].resources[2]["luts"] = 61;  // of one core two figures
  CHECK(placement_problem(table, {}).status().code() == Code::kInvalid);
}

TEST_CASE("a placement keeps to resources and to the bound on what is not its objective") {
  CostTable table;
  table.components = {{"host", 1, {}, {}}, {"cpu:0", 1, {}, {}}, {"fpga:0", 1, {{"luts", 100}}, {}}};
  table.links.assign(9, {10, 0, true});
  for (std::size_t l = 0; l < 3; ++l) table.links[l * 3 + l] = {};
  table.stages.assign(4, {{0, kNowhere_ps, kNowhere_ps}, kPerMillion, {}});
  for (std::size_t s = 2; s < 4; ++s) table.stages[s] = {{kNowhere_ps, 50, 5}, kPerMillion, {{}, {}, {{"luts", 60}}}};
  table.edges = {{0, 2, kPerMillion, 0}, {2, 3, kPerMillion, 0}, {3, 1, kPerMillion, 0}};
  const auto both = placement_problem(table, {});
  REQUIRE(both.ok());
  REQUIRE(assign::evaluate(*both, {0, 0, 2, 2}).broken == "luts of fpga:0");
  REQUIRE(assign::evaluate(*both, {0, 0, 1, 2}).feasible);
  REQUIRE(assign::evaluate(*both, {0, 0, 1, 2}).sum == 85);
  for (std::size_t s = 2; s < 4; ++s) table.stages[s].core = s == 2 ? "one" : "other";
  REQUIRE(assign::evaluate(*placement_problem(table, {}), {0, 0, 2, 2}).broken == "luts of fpga:0");
  const auto quick = placement_problem(table, {.most_period_ps = 60});
  REQUIRE(quick.ok());
  REQUIRE(assign::evaluate(*quick, {0, 0, 1, 1}).broken == "load of cpu:0");
  const auto bounded = placement_problem(table, {.objective = "throughput", .most_latency_ps = 84});
  REQUIRE(bounded.ok());
  REQUIRE(assign::evaluate(*bounded, {0, 0, 1, 2}).broken == "the latency");
}

TEST_CASE("price and power of the controllers in use are bounded, and must be known of those that stages may run on") {
  CHECK(rc::check([] {
    CostTable table = any_table();
    const PlacementGoal goal{.most_price = any(0, 30), .most_power_mw = any(0, 30)};
    const Placement placement = any_placement(table);
    const auto problem = placement_problem(table, goal);
    RC_ASSERT(problem.ok());
    std::uint64_t price = 0, power = 0;
    for (std::uint32_t l = 1; l < table.components.size(); ++l) {
      if (std::ranges::find(placement, l) == placement.end()) continue;
      price += *table.components[l].price, power += *table.components[l].power_mw;
    }
    const bool kept = price <= *goal.most_price && power <= *goal.most_power_mw;
    RC_ASSERT(assign::evaluate(*problem, placement).feasible == kept);
    table.components.back().power_mw.reset();
    const bool open = std::ranges::any_of(table.stages, [](const StageCosts& s) { return s.time_ps.back() >= 0; });
    RC_ASSERT(placement_problem(table, goal).ok() != open);
  }));
}

TEST_CASE("a cost table that makes no sense is refused, and so are goals that there are not") {
  CHECK(rc::check([] {
    const CostTable good = any_table();
    RC_ASSERT(placement_problem(good, {}).ok());
    CostTable table = good;
    switch (*rc::gen::inRange(0, 8)) {
      case 0: table.components[0].controller = "cpu:9"; break;
      case 1: table.links.pop_back(); break;
      case 2: table.stages.resize(1); break;
      case 3: table.stages.back().time_ps.pop_back(); break;
      case 4: table.stages.back().time_ps.assign(table.components.size(), kNowhere_ps); break;
      case 5: table.edges.front().to = 1000; break;
      case 6: table.components[1].workers = 0; break;
      default: table.components[1].cores = "none such"; break;
    }
    RC_ASSERT(placement_problem(table, {}).status().code() == Code::kInvalid);
    RC_ASSERT(placement_problem(good, {.model = "rpc"}).status().code() == Code::kInvalid);
    RC_ASSERT(placement_problem(good, {.objective = "price"}).status().code() == Code::kInvalid);
    RC_ASSERT(placement_problem(good, {.most_latency_ps = 5}).status().code() == Code::kInvalid);
  }));
}

TEST_CASE("sums that could not be exact are refused") {
  CHECK(rc::check([] {
    CostTable table = any_table();
    table.stages.back().time_ps.assign(table.components.size(), std::int64_t{1} << 62);
    RC_ASSERT(placement_problem(table, {}).status().code() == Code::kInvalid);
    table = any_table();
    table.edges = {{0, 2, ~std::uint64_t{0}, ~std::uint64_t{0}}};
    RC_ASSERT(placement_problem(table, {}).status().code() == Code::kInvalid);
  }));
}

namespace {

// Stages in a row that may be on any of some equal controllers.
CostTable alike(std::uint32_t controllers, std::uint32_t stages, std::int64_t time_ps) {
  CostTable table;
  const std::uint32_t k = controllers + 1;
  for (std::uint32_t l = 0; l < k; ++l)
    table.components.push_back({l == kHost ? "host" : "cpu:" + std::to_string(l - 1), 1, {}, {}});
  table.links.assign(std::size_t{k} * k, {1'000, 1024, true});
  for (std::uint32_t l = 0; l < k; ++l) table.links[l * k + l] = {};
  table.stages.assign(2, {std::vector<std::int64_t>(k, kNowhere_ps), kPerMillion, {}});
  for (StageCosts& stage : table.stages) stage.time_ps[kHost] = 0;
  for (std::uint32_t s = 2; s < stages + 2; ++s) {
    table.stages.push_back({std::vector<std::int64_t>(k, time_ps), kPerMillion, {}});
    table.stages.back().time_ps[kHost] = kNowhere_ps;
    table.edges.push_back({s == 2 ? 0 : s - 1, s, kPerMillion, 10 * kPerMillion});
  }
  table.edges.push_back({stages + 1, 1, kPerMillion, 10 * kPerMillion});
  return table;
}

}  // namespace

TEST_CASE("controllers that are alike are known to be, and many of them take no more time than they are given") {
  const auto problem = placement_problem(alike(63, 12, 10'000), {.objective = "throughput"});
  REQUIRE(problem.ok());
  const auto begin = std::chrono::steady_clock::now();
  const auto twins = assign::twins(*problem);
  CHECK(twins[0] == 0);
  CHECK(std::all_of(twins.begin() + 1, twins.end(), [](std::uint32_t first) { return first == 1; }));
  CHECK(assign::solve(*problem, {.limit = std::chrono::seconds(1), .solver = false}).ok());
  // Takes seconds, or half a minute under sanitizers; comparing each pair of controllers row by row took minutes.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}

TEST_CASE("what is proved of stages that take microseconds is proved of such that take minutes") {
  for (const std::int64_t time_ps : {std::int64_t{10'000'000}, std::int64_t{1} << 49}) {
    CostTable costs = alike(2, 4, time_ps);
    mark_calls(costs);
    const PlacementGoal goal{.objective = "throughput"};
    const auto problem = placement_problem(costs, goal);
    REQUIRE(problem.ok());
    const auto solution = assign::solve(*problem, {.solver = false});
    REQUIRE(solution.ok());
    const Certificate certificate = certify(goal, costs, *solution);
    CHECK(certificate.status == "proved");
    CHECK(certificate.value_ps == 2 * time_ps);
    CHECK(verify_certificate(plan_of(costs, certificate)).message() == "");
  }
}

TEST_CASE("of a scatter's elements a fused call sends the number straight, as nothing else") {
  CostTable table = alike(2, 2, 10);
  const auto messages_of_all = [&](const std::string& model) {
    PlacementGoal goal;
    goal.model = model;
    const auto problem = placement_problem(table, goal);
    REQUIRE(problem.ok());
    return (assign::evaluate(*problem, {0, 0, 1, 2}).sum - 2 * 10) / 1'000;
  };
  for (EdgeCosts& edge : table.edges) edge.bytes = 0;
  CHECK(messages_of_all("rpc-fused") == 4);
  table.edges[1].count = true;
  CHECK(messages_of_all("woa") == 3);
  CHECK(messages_of_all("rpc-fused") == 3);
  CHECK(messages_of_all("rpc-hub") == 4);
}

TEST_CASE("no placement for rpc-nested has a lower predicted time than the one that is proved") {
  CHECK(rc::check([] {
    CostTable table = any_table();
    const auto k = static_cast<std::uint32_t>(table.components.size());
    if (table.stages.size() > 5) table.stages.resize(5);
    const auto stages = static_cast<std::uint32_t>(table.stages.size());
    for (std::uint32_t a = 0; a < k; ++a)
      for (std::uint32_t b = 0; b < k; ++b)
        if (a != b) table.links[a * k + b] = {any(0, 40), any(0, 4096), true};
    for (EdgeCosts& edge : table.edges) {  // forward, as in a graph that the model can run
      edge.from %= stages, edge.to %= stages;
      if (edge.from == kSink) edge.from = kHost;
      if (edge.to == kHost || edge.to == edge.from) edge.to = kSink;
      if (edge.to != kSink && edge.from > edge.to) std::swap(edge.from, edge.to);
    }
    mark_calls(table);
    for (const std::string objective : {"latency", "throughput"}) {
      const PlacementGoal goal{.model = "rpc-nested", .objective = objective};
      const auto problem = placement_problem(table, goal);
      RC_ASSERT(problem.ok());
      const auto solution = assign::solve(*problem, {.solver = false});
      RC_ASSERT(solution.ok());
      Certificate certificate = certify(goal, table, *solution);
      RC_ASSERT(certificate.status == "proved");
      const auto time = [&] {
        const Prediction found = plan_of(table, certificate).certificate->prediction;
        return objective == "latency" ? found.serial_ps : found.period_ps;
      };
      RC_ASSERT(time() == certificate.value_ps);
      const std::int64_t least = certificate.value_ps;
      certificate.placement.assign(table.stages.size(), 1);
      certificate.placement[kHost] = certificate.placement[kSink] = kHost;
      const auto next = [&] {  // counts up, the components of kernels being the digits
        for (std::size_t s = kSink + 1; s < table.stages.size(); ++s) {
          if (++certificate.placement[s] < k) return true;
          certificate.placement[s] = 1;
        }
        return false;
      };
      do RC_ASSERT(time() >= least);
      while (next());
    }
  }));
}

}  // namespace woa::test
