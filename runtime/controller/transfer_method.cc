#include "runtime/controller/transfer_method.h"

#include <algorithm>
#include <array>
#include <limits>

#include "runtime/controller/layout.h"

namespace woa {
namespace {

enum class Writer : std::uint8_t { kOwnBlock, kPassesOn, kEither };

// What moves payloads between ends at such a reach, for whose output, and up to which size. Of two that fit a size the
// first is taken.
struct Row {
  Reach reach;
  TransferMethod method;
  Writer writer;
  std::uint64_t most_bytes;
};

constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();

constexpr std::array kTable{
    Row{Reach::kCard, TransferMethod::kOnCard, Writer::kEither, kAnySize},
    Row{Reach::kController, TransferMethod::kInPlace, Writer::kOwnBlock, kAnySize},
    Row{Reach::kController, TransferMethod::kByReference, Writer::kPassesOn, kAnySize},
    Row{Reach::kHost, TransferMethod::kInline, Writer::kEither, kMaxInlineBytes},
    Row{Reach::kHost, TransferMethod::kInPlace, Writer::kOwnBlock, kAnySize},
    Row{Reach::kHost, TransferMethod::kByReference, Writer::kPassesOn, kAnySize},
    // No more than poison needs: eager writes header and payload at once, too.
    Row{Reach::kReplicas, TransferMethod::kInline, Writer::kEither, kPoisonMessageBytes},
    Row{Reach::kReplicas, TransferMethod::kEager, Writer::kEither, kAnySize},
};

// Up to which size the edge takes this way; 0: never.
std::uint64_t most_bytes(const Row& row, const EdgeFacts& facts) {
  const Writer writer = facts.passed_on ? Writer::kPassesOn : Writer::kOwnBlock;
  if (row.reach != facts.reach || (row.writer != Writer::kEither && row.writer != writer)) return 0;
  if (row.method != TransferMethod::kInline) return row.most_bytes;
  return facts.needs_block ? 0 : std::min<std::uint64_t>(row.most_bytes, facts.inline_bytes);
}

}  // namespace

std::string_view to_string(TransferMethod method) noexcept {
  switch (method) {
    case TransferMethod::kInline: return "inline";
    case TransferMethod::kInPlace: return "in place";
    case TransferMethod::kByReference: return "by reference";
    case TransferMethod::kEager: return "eager";
    case TransferMethod::kOnCard: return "on-card";
  }
  return "unknown";
}

EdgeFacts facts_of(const Plan& plan, std::uint32_t edge, bool replicas) {
  const EdgePlan& e = plan.edges[edge];
  const StagePlan &from = plan.stages[e.from_stage], &to = plan.stages[e.to_stage];
  const bool device = from.headers == HeaderWriter::kDevice || to.headers == HeaderWriter::kDevice;
  return {.reach = e.on_card                          ? Reach::kCard
                   : from.controller == to.controller ? Reach::kController
                   : replicas                         ? Reach::kReplicas
                                                      : Reach::kHost,
          .passed_on = from.role == StageRole::kRelay || from.outputs[e.from_port].in_place >= 0,
          .needs_block = device || (replicas ? to.role == StageRole::kRelay : from.publishes != Publisher::kHost),
          .payload_bytes = from.outputs[e.from_port].type.payload_bytes(),
          .inline_bytes = e.inline_bytes};
}

EdgeFacts facts_of(const Plan& plan, const Layout& layout, std::uint32_t edge) {
  EdgeFacts facts = facts_of(plan, edge, layout.edges[edge].wire.has_value());
  facts.passed_on = layout.passed_input[plan.edges[edge].from_stage][plan.edges[edge].from_port] >= 0;
  return facts;
}

std::vector<MethodRange> choose_methods(const EdgeFacts& facts) {
  std::vector<MethodRange> ranges;
  for (const Row& row : kTable) {
    const std::uint64_t most = std::min(most_bytes(row, facts), facts.payload_bytes);
    const bool first = ranges.empty();
    if (first ? most_bytes(row, facts) == 0 : most <= ranges.back().to_bytes) continue;
    ranges.push_back({row.method, first ? 0 : ranges.back().to_bytes + 1, most});
  }
  return ranges;
}

std::uint32_t inline_limit(const EdgeFacts& facts) {
  const auto ranges = choose_methods(facts);
  const auto at =
      std::ranges::find_if(ranges, [](const MethodRange& range) { return range.method == TransferMethod::kInline; });
  return at == ranges.end() ? 0 : static_cast<std::uint32_t>(at->to_bytes);
}

}  // namespace woa
