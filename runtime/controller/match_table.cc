#include "runtime/controller/match_table.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace woa {

MatchTable::MatchTable(const Plan& plan, const Layout& layout, std::uint32_t controller, StagePrograms& programs)
    : programs_(programs) {
  std::uint32_t tokens = 1, elements = 0;
  bool gathers = false;
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    open_inputs_.push_back(0);
    for (const InputPortPlan& port : stage.inputs) open_inputs_.back() += port.hold ? 0U : 1U;
    if (stage.controller != controller) continue;
    max_ports_ = std::max(max_ports_, static_cast<std::uint32_t>(stage.inputs.size()));
    for (std::uint32_t p = 0; p < stage.inputs.size(); ++p) {
      for (const std::uint32_t e : layout.in_edges[s][p]) {
        tokens += plan.edges[e].blocks;
        if (stage.inputs[p].gather != 0) elements += plan.edges[e].blocks;
      }
      for (const std::uint32_t e : layout.in_counts[s][p]) tokens += plan.edges[e].blocks;
      gathers = gathers || stage.inputs[p].gather != 0;
    }
  }
  matches_.resize(tokens);
  tokens_.resize(std::size_t{tokens} * max_ports_);
  buckets_.assign(std::bit_ceil(tokens * 2), kNone);
  const std::uint32_t inline_bytes = most_inline_bytes(layout, controller);
  inline_ = InlineStore(tokens_.size(), inline_bytes);
  if (gathers) gathers_.resize(tokens_.size());
  if (elements > 0) {
    elements_.resize(elements);
    element_inline_ = InlineStore(elements, inline_bytes);
    for (std::uint32_t e = 0; e < elements; ++e) elements_[e].next = e + 1 < elements ? e + 1 : kNone;
    free_element_ = 0;
  }
  for (std::uint32_t m = 0; m < tokens; ++m) matches_[m].next = m + 1 < tokens ? m + 1 : kNone;
  free_ = 0;
}

// The fields by themselves: a structure that was just written would be read again in wider pieces, which stalls.
std::uint32_t MatchTable::insert(std::uint32_t bucket, std::uint32_t stage, std::uint64_t instance,
                                 std::uint64_t tag) noexcept {
  const std::uint32_t m = free_;
  if (m == kNone) return kNone;
  free_ = matches_[m].next;
  ++used_;
  Match& match = matches_[m];
  match.instance = instance;
  match.tag = tag;
  match.deadline = kNoDeadline;
  match.stage = stage;
  match.missing = open_inputs_[stage];
  match.complete = false;
  match.in_use = true;
  match.bucket = bucket;
  match.next = std::exchange(buckets_[bucket], m);
  for (Token& token : tokens(m)) token.edge = kNone;
  if (!gathers_.empty())
    std::fill_n(gathers_.begin() + static_cast<std::ptrdiff_t>(place_of(m, 0)), max_ports_, Gather{});
  return m;
}

// An element, or the count. Which elements they are is looked at when all have come.
MatchTable::Added MatchTable::add_element(const InPort& port, std::uint32_t match, const Token& token) noexcept {
  const ActivationPacket& header = token.header;
  Match& entry = matches_[match];
  Gather& gather = gathers_[place_of(match, header.port)];
  if (header.kind == static_cast<std::uint8_t>(PacketKind::kCount)) {
    if (tokens(match)[header.port].present() || gather.came > header.payload_bytes) return Added::kDuplicate;
    tokens(match)[header.port] = token;
    gather.expected = port.signal ? 0 : header.payload_bytes;
  } else {
    if (gather.came == gather.expected) return Added::kDuplicate;
    const std::uint32_t e = free_element_;
    if (e == kNone) return Added::kFull;
    free_element_ = elements_[e].next;
    elements_[e] = {token, kNone};
    element_inline_.keep(e, elements_[e].token);
    (gather.came == 0 ? gather.first : elements_[gather.last].next) = e;
    gather.last = e;
    ++gather.came;
  }
  entry.deadline = std::max(entry.deadline, header.deadline);
  if (gather.came != gather.expected) return Added::kWaiting;
  return --entry.missing == 0 ? Added::kWhole : Added::kWaiting;
}

void MatchTable::erase(std::uint32_t match) noexcept {
  Match& entry = matches_[match];
  std::uint32_t* link = &buckets_[entry.bucket];
  while (*link != match) link = &matches_[*link].next;
  for (std::uint32_t p = 0; !gathers_.empty() && p < max_ports_; ++p) {
    for (std::uint32_t e = std::exchange(gathers_[place_of(match, p)].first, kNone); e != kNone;) {
      const std::uint32_t next = std::exchange(elements_[e].next, free_element_);
      free_element_ = std::exchange(e, next);
    }
  }
  *link = entry.next;
  entry.in_use = false;
  entry.next = free_;
  free_ = match;
  --used_;
}

}  // namespace woa
