// Certificates: those that are made are found true; of those that are changed, what is found true is true.
#include <rapidcheck.h>

#include <functional>
#include <limits>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/place/call_route.h"
#include "compiler/place/certify.h"
#include "compiler/place/copy_problem.h"
#include "compiler/place/cost_table.h"
#include "compiler/predict/prediction.h"
#include "runtime/plan/plan_file.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/place/any_table.h"
#include "tests/unit/compiler/place/is_true.h"

namespace woa::test {
namespace {

PlacementGoal any_goal() {
  PlacementGoal goal;
  goal.model = *rc::gen::elementOf(std::vector<std::string>(std::begin(kCallModels), std::end(kCallModels)));
  goal.objective = *rc::gen::element(std::string("latency"), std::string("throughput"));
  if (*rc::gen::inRange(0, 4) == 0)
    (goal.objective == "latency" ? goal.most_period_ps : goal.most_latency_ps) = any(50, 400);
  if (*rc::gen::inRange(0, 3) == 0) goal.most_price = any(3, 20);
  if (*rc::gen::inRange(0, 6) == 0) goal.most_power_mw = any(3, 20);
  return goal;
}

// A placed plan; nothing where no placement keeps the goal's bound.
std::optional<CertifiedPlan> any_plan() {
  PlacementGoal goal = any_goal();
  if (!goal.most_price && !goal.most_power_mw) goal.copies = any(1, 2);
  const CostTable table = goal.copies == 1 ? any_table() : any_copyable_table(5);
  const auto problem = copy_problem(table, goal);
  RC_ASSERT(problem.ok());
  auto solution = assign::solve(problem->problem, {.limit = std::chrono::milliseconds(*rc::gen::element(1, 5'000))});
  if (!solution.ok()) return std::nullopt;
  const CostTable costs = write_out_copies(table, goal, *problem, *solution);
  return plan_of(costs, certify(goal, costs, *solution));
}

// Changes one number of a certificate after the other, each in several ways.
class Mutations {
 public:
  // Calls back with each change made, and undoes it.
  void each(Certificate& certificate, const std::function<void()>& changed) {
    changed_ = &changed;
    const auto amounts = [&](auto& map) {
      for (auto& [name, number] : map) numbers(number);
    };
    for (auto& component : certificate.costs.components) {
      texts(component.controller), texts(component.cores), numbers(component.workers), numbers(component.message_ps);
      if (component.price) numbers(*component.price);
      if (component.power_mw) numbers(*component.power_mw);
      amounts(component.resources);
    }
    amounts(certificate.costs.cores), numbers(certificate.costs.wake_ps);
    for (auto& link : certificate.costs.links)
      numbers(link.latency_ps), numbers(link.ps_per_kib), flags(link.direct), flags(link.assumed);
    for (auto& stage : certificate.costs.stages) {
      list(stage.time_ps), numbers(stage.firings), flags(stage.serial);
      numbers(stage.copy), flags(stage.copyable), texts(stage.core);
      for (auto& each : stage.resources) amounts(each);
    }
    for (auto& edge : certificate.costs.edges)
      numbers(edge.from), numbers(edge.to), numbers(edge.tokens), numbers(edge.bytes), flags(edge.count),
          numbers(edge.unread), numbers(edge.unread_bytes);
    texts(certificate.goal.model), texts(certificate.goal.objective), texts(certificate.status);
    numbers(certificate.goal.copies);
    if (certificate.goal.most_latency_ps) numbers(*certificate.goal.most_latency_ps);
    if (certificate.goal.most_period_ps) numbers(*certificate.goal.most_period_ps);
    if (certificate.goal.most_price) numbers(*certificate.goal.most_price);
    if (certificate.goal.most_power_mw) numbers(*certificate.goal.most_power_mw);
    list(certificate.placement), numbers(certificate.value_ps), numbers(certificate.bound_ps);
    for (ProofLeaf& leaf : certificate.leaves) {
      numbers(leaf.scale), numbers(leaf.sum), numbers(leaf.closed), list(leaf.rows), list(leaf.from), list(leaf.to);
      for (auto& [stage, component] : leaf.fixings) numbers(stage), numbers(component);
    }
    Prediction& known = certificate.prediction;
    numbers(known.messages), numbers(known.calls), numbers(known.hops), numbers(known.payload_bytes);
    numbers(known.serial_ps), numbers(known.critical_path_ps), numbers(known.critical_kernels_ps),
        numbers(known.alone_ps);
    numbers(known.period_ps), texts(known.bottleneck);
    drop(certificate.leaves), drop(certificate.costs.links), drop(certificate.costs.stages);
    drop(certificate.costs.edges), drop(certificate.costs.components);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  template <class Field>
  void put(Field& field, Field value) {
    if (field == value) return;
    std::swap(field, value);
    ++count_;
    (*changed_)();
    std::swap(field, value);
  }
  template <class Number>
  void numbers(Number& field) {
    const Number now = field;
    for (const Number value :
         {Number{0}, Number{1}, std::numeric_limits<Number>::max(), std::numeric_limits<Number>::min()})
      put(field, value);
    if (now < std::numeric_limits<Number>::max()) put(field, static_cast<Number>(now + 1));
    if (now > std::numeric_limits<Number>::min()) put(field, static_cast<Number>(now - 1));
  }
  template <class Number>
  void list(std::vector<Number>& fields) {
    for (Number& field : fields) numbers(field);
    drop(fields);
  }
  template <class Item>
  void drop(std::vector<Item>& items) {
    if (items.empty()) return;
    std::vector<Item> less(items.begin(), items.end() - 1), more = items;
    more.push_back(items.back());
    put(items, std::move(less)), put(items, std::move(more));
  }
  void flags(bool& field) { put(field, !field); }
  void texts(std::string& field) {
    for (const char* value : {"", "host", "cpu:1", "cpu:2", "woa", "rpc-hub", "latency", "throughput", "proved",
                              "claimed", "gap", "heuristic"})
      put(field, std::string(value));
  }

  const std::function<void()>* changed_ = nullptr;
  std::uint64_t count_ = 0;
};

}  // namespace

TEST_CASE("the certificate of a placement is true, whatever the goal") {
  CHECK(rc::check([] {
    const std::optional<CertifiedPlan> plan = any_plan();
    if (!plan) return;
    const Status status = verify_certificate(*plan);
    RC_ASSERT(status.message() == "");
    RC_ASSERT(is_true(*plan));
  }));
}

TEST_CASE("what all firings and messages are predicted to take is what the placement comes to") {
  CHECK(rc::check([] {
    const std::optional<CertifiedPlan> plan = any_plan();
    if (!plan || plan->certificate->goal.objective != "latency" || plan->model == "rpc-nested") return;
    RC_ASSERT(plan->certificate->prediction.serial_ps == plan->certificate->value_ps);
  }));
}

TEST_CASE("of a certificate that was changed anywhere, what is found true is true") {
  std::uint64_t changed = 0, found_true = 0;
  CHECK(rc::check([&] {
    if (changed > 20'000) return;  // each that is found true has all its placements tried
    std::optional<CertifiedPlan> plan = any_plan();
    if (!plan) return;
    Mutations mutations;
    mutations.each(*plan->certificate, [&] {
      plan->certificate->costs_hash = hash_of(plan->certificate->costs);
      if (!verify_certificate(*plan).ok()) return;
      ++found_true;
      RC_ASSERT(is_true(*plan));
    });
    changed += mutations.count();
  }));
  CHECK(changed >= 2000);
  CHECK(found_true < changed / 2);
}

TEST_CASE("a plan that was changed after it was certified is found out") {
  CHECK(rc::check([] {
    std::optional<CertifiedPlan> plan = any_plan();
    if (!plan) return;
    CertifiedPlan moved = *plan;
    std::uint32_t& at = moved.stages.back().controller;
    at = at + 1 < moved.controllers.size() ? at + 1 : at - 1;
    RC_ASSERT(verify_certificate(moved).code() == Code::kInvalid);
    CertifiedPlan wider = *plan;
    wider.controllers[wider.stages.back().controller].workers += 1;
    RC_ASSERT(verify_certificate(wider).code() == Code::kInvalid);
    CertifiedPlan rewired = *plan;
    rewired.edges.front().to_stage = rewired.edges.front().to_stage == kSink ? 2 : kSink;
    RC_ASSERT(verify_certificate(rewired).code() == Code::kInvalid);
    CertifiedPlan cheaper = *plan;  // with the hash as it was
    cheaper.certificate->costs.edges.front().bytes += 1;
    RC_ASSERT(verify_certificate(cheaper).message().find("costs have been changed") != std::string::npos);
    plan->certificate.reset();
    RC_ASSERT(verify_certificate(*plan).code() == Code::kNotFound);
  }));
}

}  // namespace woa::test
