#include <coin/Cbc_C_Interface.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "compiler/place/solver/milp.h"
#include "compiler/place/solver/symmetry.h"
#include "runtime/base/child_process.h"
#include "runtime/base/shared_library.h"
#include "runtime/base/status.h"

namespace woa::assign {
namespace {

#define WOA_CBC_SYMBOLS(X)       \
  X(Cbc_newModel)                \
  X(Cbc_deleteModel)             \
  X(Cbc_setLogLevel)             \
  X(Cbc_setParameter)            \
  X(Cbc_addCol)                  \
  X(Cbc_addRow)                  \
  X(Cbc_setMaximumSeconds)       \
  X(Cbc_setAllowableGap)         \
  X(Cbc_setAllowableFractionGap) \
  X(Cbc_setMIPStartI)            \
  X(Cbc_solve)                   \
  X(Cbc_isProvenOptimal)         \
  X(Cbc_bestSolution)

struct CbcLibrary {
#define WOA_CBC_MEMBER(name) decltype(&::name) name = nullptr;
  WOA_CBC_SYMBOLS(WOA_CBC_MEMBER)
#undef WOA_CBC_MEMBER
};

constexpr const char* kLibrary = "libCbcSolver.so.3";

Result<CbcLibrary> load() {
  const Result<void*> library = load_library(kLibrary, "install coinor-libcbc3");
  if (!library.ok()) return library.status().with_context("CBC cannot be loaded");
  CbcLibrary table;
#define WOA_CBC_LOAD(name)                                                       \
  table.name = reinterpret_cast<decltype(table.name)>(::dlsym(*library, #name)); \
  if (table.name == nullptr)                                                     \
    return {Code::kUnavailable, std::string(kLibrary) + " has no " #name "; version 2.10 or newer is required"};
  WOA_CBC_SYMBOLS(WOA_CBC_LOAD)
#undef WOA_CBC_LOAD
  return table;
}

// Loads the library once per process, when it is first asked for, and never unloads it: one binary runs with and
// without it. kUnavailable names what is missing; kExhausted: a limit on open files. Any thread.
const Result<CbcLibrary>& cbc_library() {
  static const Result<CbcLibrary> table = load();
  return table;
}

constexpr double kUnits = 1e6;  // the largest number of the objective, as CBC gets it

struct Terms {
  std::vector<int> columns;
  std::vector<double> values;
  void add(std::size_t column, double value) {
    if (value != 0) columns.push_back(static_cast<int>(column)), values.push_back(value);
  }
};

class Model {
 public:
  Model(const CbcLibrary& cbc, const Problem& problem)
      : cbc_(cbc),
        problem_(problem),
        k_(problem.components),
        pairs_(problem.nodes.size() * k_),
        model_(cbc.Cbc_newModel(), cbc.Cbc_deleteModel) {
    cbc_.Cbc_setLogLevel(model_.get(), 0);
    cbc_.Cbc_setParameter(model_.get(), "log", "0");
    add_columns();
    add_assignment();
    add_flow();
    add_rows();
    break_symmetry();
  }

  Milp solve(Placement start, std::chrono::milliseconds limit) {
    cbc_.Cbc_setParameter(model_.get(), "timeMode", "elapsed");
    cbc_.Cbc_setMaximumSeconds(model_.get(), std::chrono::duration<double>(limit).count());
    cbc_.Cbc_setAllowableGap(model_.get(), 0);
    cbc_.Cbc_setAllowableFractionGap(model_.get(), 0);
    if (!start.empty()) begin_at(std::move(start));
    cbc_.Cbc_solve(model_.get());
    Milp answer;
    answer.optimal = cbc_.Cbc_isProvenOptimal(model_.get()) != 0;
    const double* const values = cbc_.Cbc_bestSolution(model_.get());
    for (std::size_t i = 0; values != nullptr && i < problem_.nodes.size(); ++i)
      answer.placement.push_back(
          static_cast<std::uint32_t>(std::max_element(values + x(i, 0), values + x(i + 1, 0)) - (values + x(i, 0))));
    return answer;
  }

 private:
  [[nodiscard]] std::size_t x(std::size_t node, std::size_t component) const { return node * k_ + component; }
  [[nodiscard]] std::size_t y(std::size_t edge, std::size_t a, std::size_t b) const {
    return pairs_ + (edge * k_ + a) * k_ + b;
  }
  [[nodiscard]] std::size_t largest() const { return pairs_ + problem_.edges.size() * k_ * k_; }

  void add_columns() {
    const bool sums = problem_.objective == Objective::kSum;
    if (sums) unit_ = unit(largest_cost(problem_));
    for (const auto& costs : problem_.nodes)
      for (const Cost cost : costs)
        cbc_.Cbc_addCol(model_.get(), "", 0, cost == kForbidden ? 0 : 1, sums && cost != kForbidden ? scaled(cost) : 0,
                        1, 0, nullptr, nullptr);
    for (const Edge& edge : problem_.edges)
      for (const Cost cost : edge.cost)
        cbc_.Cbc_addCol(model_.get(), "", 0, 1, sums ? scaled(cost) : 0, 0, 0, nullptr, nullptr);
    if (!sums) cbc_.Cbc_addCol(model_.get(), "", 0, 1e15, 1, 0, 0, nullptr, nullptr);
    std::size_t next = largest() + (sums ? 0 : 1);
    for (std::size_t r = 0; r < problem_.rows.size(); ++r)
      for (const std::uint32_t group : problem_.rows[r].shared)
        if (group != 0 && shared_.emplace(std::pair(r, group), next).second)
          ++next, cbc_.Cbc_addCol(model_.get(), "", 0, 1, 0, 0, 0, nullptr, nullptr);
  }
  [[nodiscard]] static double unit(Cost most) { return std::max(1.0, static_cast<double>(most) / kUnits); }
  [[nodiscard]] double scaled(Cost cost) const { return std::round(static_cast<double>(cost) / unit_); }

  void add(const Terms& row, char sense, double right) {
    cbc_.Cbc_addRow(model_.get(), "", static_cast<int>(row.columns.size()), row.columns.data(), row.values.data(),
                    sense, right);
  }
  void add_assignment() {
    for (std::size_t i = 0; i < problem_.nodes.size(); ++i) {
      Terms row;
      for (std::size_t l = 0; l < k_; ++l) row.add(x(i, l), 1);
      add(row, 'E', 1);
    }
  }
  void add_flow() {
    for (std::size_t e = 0; e < problem_.edges.size(); ++e) {
      for (std::size_t here = 0; here < k_; ++here) {
        Terms from, to;
        from.add(x(problem_.edges[e].from, here), -1), to.add(x(problem_.edges[e].to, here), -1);
        for (std::size_t there = 0; there < k_; ++there) from.add(y(e, here, there), 1), to.add(y(e, there, here), 1);
        add(from, 'E', 0), add(to, 'E', 0);
      }
    }
  }
  void add_rows() {
    // Rows of the objective are compared with each other: one unit for all.
    if (problem_.objective == Objective::kLargestRow) {
      Cost most = 1;
      for (const Row& row : problem_.rows) {
        if (row.limit) continue;
        most = std::max(most, most_of(row.nodes));
        for (const RowTerm& term : row.terms) most = std::max({most, most_of(term.edges), most_of(term.back)});
      }
      unit_ = unit(most);
    }
    const double objective_unit = unit_;
    for (std::size_t r = 0; r < problem_.rows.size(); ++r) {
      const Row& row = problem_.rows[r];
      unit_ = row.limit ? 1 : objective_unit;
      Terms sum;
      add_nodes(r, sum);
      for (std::size_t e = 0; !row.terms.empty() && e < problem_.edges.size(); ++e)
        for (std::uint32_t a = 0; a < k_; ++a)
          for (std::uint32_t b = 0; b < k_; ++b) sum.add(y(e, a, b), scaled(weight(problem_, row, e, a, b)));
      bound(std::move(sum), row.limit);
    }
    if (!problem_.most_sum) return;
    unit_ = 1;
    Terms sum;
    for (std::size_t i = 0; i < problem_.nodes.size(); ++i)
      for (std::size_t l = 0; l < k_; ++l)
        if (problem_.nodes[i][l] != kForbidden) sum.add(x(i, l), scaled(problem_.nodes[i][l]));
    for (std::size_t e = 0; e < problem_.edges.size(); ++e)
      for (std::size_t pair = 0; pair < k_ * k_; ++pair)
        sum.add(y(e, 0, 0) + pair, scaled(problem_.edges[e].cost[pair]));
    bound(std::move(sum), problem_.most_sum);
  }
  // A group's shared need is a variable, at least as large as that of each node that needs it.
  void add_nodes(std::size_t r, Terms& sum) {
    const Row& row = problem_.rows[r];
    std::map<std::uint32_t, Cost> needed;  // by group
    for (std::size_t at = 0; at < row.nodes.size(); ++at) {
      const std::uint32_t group = row.shared.empty() ? 0 : row.shared[at / k_];
      if (group == 0) sum.add(at, scaled(row.nodes[at]));
      if (group == 0 || row.nodes[at] == 0) continue;
      needed[group] = row.nodes[at];
      Terms need;
      need.add(at, 1), need.add(shared_.at({r, group}), -1);
      add(need, 'L', 0);
    }
    for (const auto& [group, weight] : needed) sum.add(shared_.at({r, group}), scaled(weight));
  }
  [[nodiscard]] static Cost most_of(const std::vector<Cost>& weights) {
    return weights.empty() ? 0 : *std::ranges::max_element(weights);
  }
  void bound(Terms sum, const std::optional<Cost>& limit) {
    if (limit) return add(sum, 'L', static_cast<double>(*limit));
    if (problem_.objective != Objective::kLargestRow || sum.columns.empty()) return;
    sum.add(largest(), -1);
    add(sum, 'L', 0);
  }
  void break_symmetry() {
    const std::vector<std::uint32_t> first = twins(problem_);
    std::map<std::uint32_t, std::uint32_t> before;  // by class: its last component so far
    for (std::uint32_t l = 0; l < k_; ++l) {
      if (const auto last = before.find(first[l]); last != before.end()) {
        Terms row;
        for (std::size_t i = 0; i < problem_.nodes.size(); ++i) row.add(x(i, l), 1), row.add(x(i, last->second), -1);
        add(row, 'L', 0);
        ordered_.push_back({last->second, l});
      }
      before[first[l]] = l;
    }
  }
  // Renames the components of `start` to an order that break_symmetry() allows.
  void begin_at(Placement start) {
    std::vector<std::size_t> count(k_, 0);
    for (const std::uint32_t l : start) ++count[l];
    std::vector<std::uint32_t> now(k_);
    std::iota(now.begin(), now.end(), 0U);
    for (std::size_t pass = 0; pass < k_; ++pass)
      for (const auto& [a, b] : ordered_)
        if (count[now[a]] < count[now[b]]) std::swap(now[a], now[b]);
    std::vector<std::uint32_t> renamed(k_);
    for (std::uint32_t l = 0; l < k_; ++l) renamed[now[l]] = l;
    std::vector<int> columns;
    std::vector<double> values;
    for (std::size_t i = 0; i < start.size(); ++i)
      columns.push_back(static_cast<int>(x(i, renamed[start[i]]))), values.push_back(1);
    cbc_.Cbc_setMIPStartI(model_.get(), static_cast<int>(columns.size()), columns.data(), values.data());
  }

  const CbcLibrary& cbc_;
  const Problem& problem_;
  std::size_t k_, pairs_;
  std::unique_ptr<Cbc_Model, decltype(&::Cbc_deleteModel)> model_;
  double unit_ = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ordered_;         // the first has no fewer nodes than the second
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> shared_;  // columns, by row and group of Row::shared
};

// The child's answer: whether it says that its placement is the best, and the placement.
std::string packed(const Milp& answer) {
  std::string bytes(1, answer.optimal ? '1' : '0');
  bytes.append(reinterpret_cast<const char*>(answer.placement.data()), answer.placement.size() * sizeof(std::uint32_t));
  return bytes;
}

Milp unpacked(const std::string& bytes) {
  Milp answer;
  answer.optimal = bytes.front() == '1';
  answer.placement.resize((bytes.size() - 1) / sizeof(std::uint32_t));
  if (!answer.placement.empty())  // memcpy() takes no null pointer
    std::memcpy(answer.placement.data(), bytes.data() + 1, answer.placement.size() * sizeof(std::uint32_t));
  return answer;
}

// Silences CBC's assertions, which say nothing to our user.
void close_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO), ::dup2(nowhere, STDERR_FILENO);
}

}  // namespace

// Runs CBC in a child: version 2.10.8 crashes or asserts now and then if its time is over early, and large linear
// programs ignore the clock.
Milp solve_milp(const Problem& problem, const Placement& start, std::chrono::milliseconds limit) {
  constexpr std::chrono::seconds kGrace{1};
  const auto& cbc = cbc_library();
  if (!cbc.ok() || limit <= std::chrono::milliseconds::zero()) return {};
  const auto bytes = run_in_child(
      [&] {
        close_output();
        return packed(Model(*cbc, problem).solve(start, limit));
      },
      static_cast<std::uint64_t>(std::chrono::nanoseconds(limit + kGrace).count()));
  return bytes.ok() ? unpacked(*bytes) : Milp{{}, false, "CBC " + bytes.status().message()};
}

Status solver_status() { return cbc_library().status(); }

}  // namespace woa::assign
