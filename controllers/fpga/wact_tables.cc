#include "controllers/fpga/wact_tables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "controllers/fpga/generated/wact_interface.h"
#include "runtime/base/scalar.h"

namespace woa {
namespace {

using namespace wact;  // NOLINT: the words' names

constexpr std::string_view kVariant = "rtl";
constexpr std::uint64_t kMostBytes = 0x7fffffff;  // the node refuses larger payloads
constexpr std::uint32_t kNameWords = 4;
constexpr std::uint32_t kNone = ~0u;
constexpr std::uint32_t kTwoInputs = 1u << 20, kSecondLsb = 24;  // in a stage's flags
constexpr std::uint32_t kUnlisted = 1u << 31;                    // in a stage's number: not in the index
static_assert(kMaxJoined == kChainStages, "the plan joins as many stages as the node runs in a chain");

std::uint32_t bounded(std::uint64_t bytes) { return static_cast<std::uint32_t>(std::min(bytes, kMostBytes)); }
// An input without a bound of its own has max_bytes 0.
std::uint32_t input_bound(const PortType& type) { return bounded(type.max_bytes == 0 ? kMostBytes : type.max_bytes); }
std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

// Writes the extents as the stage table holds them. Returns a bit for each variable extent.
std::uint32_t table_dims(const PortType& type, std::span<std::uint32_t> words) {
  std::fill_n(words.begin(), WOA_MAX_RANK, 1u);
  std::uint32_t variable = 0;
  for (std::size_t d = 0; d < type.dims.size(); ++d) {
    const Dimension& dim = type.dims[d];
    words[d] = dim.size != 0 ? dim.size : dim.max != 0 ? dim.max : ~0u;
    if (dim.size == 0) variable |= 1u << d;
  }
  if (type.dims.empty()) words[0] = ~0u;  // bounded in bytes
  return variable;
}

// Makes the line of a stage that of one of its inputs.
void table_input(const PortType& type, std::span<std::uint32_t, kEntryWords> words) {
  const std::uint32_t variable = table_dims(type, words.subspan(kStageInDims));
  words[kStageFlags] &= ~(0xfu << 8 | 0x7u << 16);
  words[kStageFlags] |= variable << 8 | (type.dims.empty() ? 1u << 18 : 0u) |
                        static_cast<std::uint32_t>(std::countr_zero(element_bytes(type.element))) << 16;
  words[kStageInMax] = input_bound(type);
}

std::string place(const StagePlan& stage) { return "stage '" + stage.name + "' (kernel '" + stage.kernel + "')"; }

Status check_stage(const StagePlan& stage) {
  if (stage.role != StageRole::kKernel) {
    return {Code::kUnsupported, place(stage) + ": an FPGA node runs kernels only; place it on another controller"};
  }
  if (stage.variant.kind != kVariant) {
    return {Code::kUnsupported, place(stage) + " has no rtl variant; place it on another controller"};
  }
  const std::string_view beyond =
      first_beyond(features_of(stage.inputs, stage.outputs, stage.stateful), {.pair = true});
  if (!beyond.empty()) {
    return {Code::kUnsupported,
            place(stage) + " " + std::string(beyond) + ", which an rtl kernel cannot; place it on another controller"};
  }
  if (std::ranges::any_of(stage.inputs, &InputPortPlan::hold)) {
    return {Code::kUnsupported, place(stage) + ": the input of an rtl kernel is not held"};
  }
  const auto misfits = [](const PortType& type) {
    return type.dims.size() > WOA_MAX_RANK || !std::has_single_bit(element_bytes(type.element));
  };
  const auto refused = [&](const PortType& type) {
    return Status(Code::kUnsupported,
                  place(stage) + ": type " + to_string(type) + " does not fit the node's stage table");
  };
  for (const InputPortPlan& input : stage.inputs)
    if (misfits(input.type)) return refused(input.type);
  return misfits(stage.outputs[0].type) ? refused(stage.outputs[0].type) : Status();
}

// A core gets the shape of its first input alone.
Status check_second_input(const StagePlan& stage, const NodeLimits& limits) {
  if (limits.places == 0) {
    return {Code::kUnsupported, place(stage) +
                                    " has two inputs, and this node was built without a match table, which keeps the "
                                    "packet that comes first; place it on another controller"};
  }
  if (stage.inputs[1].type.prefix_bytes() != 0) {
    return {Code::kUnsupported, place(stage) + ": the second input of an rtl kernel has no variable dimensions, and '" +
                                    stage.inputs[1].name + "' is " + to_string(stage.inputs[1].type) +
                                    "; swap the inputs, or place the stage on another controller"};
  }
  return {};
}

Result<std::uint32_t> find_core(const StagePlan& stage, const NodeLimits& limits) {
  std::string known;
  for (std::uint32_t core = 0; core < limits.cores.size(); ++core) {
    const std::string& name = limits.cores[core];
    if (name.empty()) continue;
    if (name == stage.variant.core) return core;
    known += (known.empty() ? "" : ", ") + name;
  }
  return {Code::kUnsupported,
          place(stage) + ": core '" + stage.variant.core + "' is not in this node; it has " + known};
}

// Parameters of type int, and choices by number, in order. Others stay with the host.
Status table_params(const StagePlan& stage, std::span<std::uint32_t, 2> words) {
  std::size_t used = 0;
  for (const ParamPlan& param : stage.params) {
    if (param.choice < 0 && (param.type != ParamType::kInt || !param.secret_env.empty())) continue;
    const auto value = param.choice >= 0 ? param.choice : parse_signed(param.value);
    if (used == words.size() || !value || !std::in_range<std::int32_t>(*value)) {
      return {Code::kUnsupported, place(stage) + ": parameter '" + param.name + "' is " + param.value +
                                      ", and an rtl kernel takes two of 32 bits, ints or choices; give a smaller "
                                      "value, or place the stage on another controller"};
    }
    words[used++] = static_cast<std::uint32_t>(*value);
  }
  return {};
}

}  // namespace

std::uint32_t core_name_words(std::uint32_t limits) noexcept { return kNameWords * (limits & 0xff); }

NodeLimits node_limits(std::uint32_t limits, std::span<const std::uint32_t> core_names, std::uint32_t matches) {
  NodeLimits node{(limits >> 8) & 0xff, ((limits >> 16) & 0xff) * 16, limits >> 24, {}, matches >> 24};
  for (; core_names.size() >= kNameWords; core_names = core_names.subspan(kNameWords)) {
    std::string& name = node.cores.emplace_back();
    for (std::uint32_t word = kNameWords; word-- > 0;) {
      for (const std::uint32_t shift : {24u, 16u, 8u, 0u}) {
        if (const char c = static_cast<char>(core_names[word] >> shift); c != '\0') name += c;
      }
    }
  }
  return node;
}

Result<WactTables> WactTables::make(const Plan& plan, std::span<const LoadedStage> stages, const NodeLimits& limits) {
  WactTables tables;
  for (const LoadedStage& stage : stages) WOA_RETURN_IF_ERROR(tables.add_stage(plan, stage, limits));
  WOA_RETURN_IF_ERROR(tables.join_stages(plan));
  for (const StageRoutes& routes : tables.fired_)
    if (routes.in.size() == 2)
      WOA_RETURN_IF_ERROR(tables.add_second_input(plan.stages[routes.stage], routes.entries.front(), limits));
  return tables;
}

// Makes chains of the stages: `fired_` has an element for each entry of the stage table, then one for each chain.
Status WactTables::join_stages(const Plan& plan) {
  std::vector<std::uint32_t> next(fired_.size(), kNone);
  std::vector<bool> fed(fired_.size());
  for (const EdgePlan& edge : plan.edges) {
    if (!edge.on_card) continue;
    const StageRoutes *const from = find(edge.from_stage), *const to = find(edge.to_stage);
    if (from == nullptr || to == nullptr) continue;  // of another controller
    const std::uint32_t entry = from->entries.front(), behind = to->entries.front();
    next[entry] = behind;
    fed[behind] = true;
    stage_words_[entry * kEntryWords + kStageNext] = behind + 1;
  }
  std::vector<StageRoutes> heads;
  for (std::uint32_t entry = 0; entry < fired_.size(); ++entry) {
    if (fed[entry]) continue;
    StageRoutes& head = heads.emplace_back(fired_[entry]);
    for (std::uint32_t at = next[entry]; at != kNone; at = next[at]) {
      WOA_RETURN_IF_ERROR(check_link(plan, head, at));
      head.chain.push_back(fired_[at].stage);
      head.entries.push_back(at);
      head.first = fired_[at].first;
      head.edges = fired_[at].edges;
      head.out = fired_[at].out;
    }
  }
  fired_ = std::move(heads);
  return {};
}

// A core runs once for a packet, so a chain ends before it comes back to one.
Status WactTables::check_link(const Plan& plan, const StageRoutes& head, std::uint32_t entry) const {
  const auto core = [&](std::uint32_t at) { return stage_words_[at * kEntryWords + kStageFlags] & 0xff; };
  const StagePlan& stage = plan.stages[fired_[entry].stage];
  const auto same = [&](std::uint32_t at) { return core(at) == core(entry); };
  if (fired_[entry].in.size() != 1) {
    return {Code::kUnsupported, place(stage) + " has two inputs, so no stage can stand before it in a chain"};
  }
  if (std::ranges::any_of(head.entries, same)) {
    return {Code::kUnsupported, place(stage) + ": core '" + stage.variant.core +
                                    "' stands twice in the chain that begins with stage '" +
                                    plan.stages[head.stage].name + "'; place one of them on another controller"};
  }
  if (head.chain.size() == kChainStages) {
    return {Code::kUnsupported, place(stage) + ": the chain that begins with stage '" + plan.stages[head.stage].name +
                                    "' has more than " + std::to_string(kChainStages) +
                                    " stages; place some of them on another controller"};
  }
  return {};
}

Status WactTables::add_stage(const Plan& plan, const LoadedStage& loaded, const NodeLimits& limits) {
  const StagePlan& stage = *loaded.plan;
  WOA_RETURN_IF_ERROR(check_stage(stage));
  const Result<std::uint32_t> core = find_core(stage, limits);
  if (!core.ok()) return core.status();

  const auto entry = static_cast<std::uint32_t>(stage_words_.size() / kEntryWords);
  StageRoutes routes{loaded.id,
                     {loaded.id},
                     {entry},
                     static_cast<std::uint32_t>(route_words_.size() / kEntryWords),
                     {},
                     {},
                     PortShape(stage.outputs[0].type)};
  for (const InputPortPlan& input : stage.inputs) routes.in.emplace_back(input.type);
  if (routes.in.size() == 2) WOA_RETURN_IF_ERROR(check_second_input(stage, limits));
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    if (plan.edges[e].from_stage != loaded.id || plan.edges[e].count || plan.edges[e].on_card) continue;
    routes.edges.push_back(e);
    add_route(plan, plan.edges[e]);
  }
  if (entry >= limits.stages || route_words_.size() / kEntryWords > limits.routes ||
      channels_.size() > limits.channels) {
    return {Code::kUnsupported, place(stage) + ": the node's tables hold " + std::to_string(limits.stages) +
                                    " stages, " + std::to_string(limits.routes) + " routes and " +
                                    std::to_string(limits.channels) +
                                    " channels; use another fpga controller for some of the stages"};
  }

  const auto same_place = [&](const StageRoutes& other) {
    return other.stage % kIndexEntries == loaded.id % kIndexEntries;
  };
  if (const auto other = std::ranges::find_if(fired_, same_place); other != fired_.end()) {
    return {Code::kUnsupported, place(stage) + " has number " + std::to_string(loaded.id) + " and stage '" +
                                    plan.stages[other->stage].name + "' number " + std::to_string(other->stage) +
                                    ": on one node they differ modulo " + std::to_string(kIndexEntries) +
                                    "; use another fpga controller for one of them"};
  }

  const PortType& out = stage.outputs[0].type;
  std::array<std::uint32_t, kEntryWords> words{};
  const std::uint32_t out_variable = table_dims(out, std::span(words).subspan(kStageOutDims));
  words[kStageNumber] = loaded.id;
  words[kStageFlags] = *core | out_variable << 12 | (out.dims.empty() ? 1u << 19 : 0u);
  table_input(stage.inputs[0].type, words);
  words[kStageRoutes] = routes.first | static_cast<std::uint32_t>(routes.edges.size()) << 16;
  words[kStageOutMax] = bounded(out.max_bytes);
  WOA_RETURN_IF_ERROR(table_params(stage, std::span(words).subspan<kStageParams, 2>()));
  stage_words_.insert(stage_words_.end(), words.begin(), words.end());
  fired_.push_back(std::move(routes));
  return {};
}

// The line of the second input: a copy of the stage's, but for the input.
Status WactTables::add_second_input(const StagePlan& stage, std::uint32_t entry, const NodeLimits& limits) {
  const auto second = static_cast<std::uint32_t>(stage_words_.size() / kEntryWords);
  if (second >= limits.stages) {
    return {Code::kUnsupported, place(stage) + ": the node's table holds " + std::to_string(limits.stages) +
                                    " stages, and those of two inputs count twice; use another fpga controller for "
                                    "some of the stages"};
  }
  stage_words_[entry * kEntryWords + kStageFlags] |= kTwoInputs | second << kSecondLsb;
  std::array<std::uint32_t, kEntryWords> words{};
  std::copy_n(stage_words_.begin() + entry * kEntryWords, kEntryWords, words.begin());
  words[kStageNumber] |= kUnlisted;
  table_input(stage.inputs[1].type, words);
  stage_words_.insert(stage_words_.end(), words.begin(), words.end());
  return {};
}

// Edges that stay on this controller have a sequence counter, too.
void WactTables::add_route(const Plan& plan, const EdgePlan& edge) {
  const auto next = static_cast<std::uint32_t>(channels_.size());
  std::array<std::uint32_t, kEntryWords> words{};
  words[kRouteStage] = edge.to_stage;
  words[kRoutePort] = edge.to_port;
  words[kRouteChannel] = channels_.try_emplace({plan.stages[edge.to_stage].controller, edge.lane}, next).first->second;
  words[kRouteKeep] = low(edge.keep);
  words[kRouteKeep + 1] = high(edge.keep);
  words[kRouteStep] = low(edge.step);
  words[kRouteStep + 1] = high(edge.step);
  route_words_.insert(route_words_.end(), words.begin(), words.end());
}

std::size_t WactTables::most_routes() const noexcept {
  std::size_t most = 0;
  for (const StageRoutes& routes : fired_) most = std::max(most, routes.edges.size());
  return most;
}

std::size_t WactTables::most_stages() const noexcept {
  std::size_t most = 1;
  for (const StageRoutes& routes : fired_) most = std::max(most, routes.chain.size());
  return most;
}

const StageRoutes* WactTables::find(std::uint32_t stage) const noexcept {
  const auto it = std::ranges::find(fired_, stage, &StageRoutes::stage);
  return it == fired_.end() ? nullptr : &*it;
}

}  // namespace woa
