#include "runtime/controller/ready.h"

#include <algorithm>
#include <utility>

namespace woa {

Ready::Ready(std::size_t matches, std::size_t stages) : nodes_(matches), roots_(stages, kNone), place_(stages, kNone) {
  stages_.reserve(stages);
  pass_.reserve(stages);
}

bool Ready::is_older(std::uint32_t a, std::uint32_t b) const noexcept {
  const Node &x = nodes_[a], &y = nodes_[b];
  return x.instance != y.instance ? x.instance < y.instance : x.tag < y.tag;
}

// The older of two roots gets the other under it.
std::uint32_t Ready::meld(std::uint32_t a, std::uint32_t b) noexcept {
  if (a == kNone || b == kNone) return a == kNone ? b : a;
  if (is_older(b, a)) std::swap(a, b);
  Node &above = nodes_[a], &under = nodes_[b];
  under.previous = a;
  under.next = above.child;
  if (above.child != kNone) nodes_[above.child].previous = b;
  above.child = b;
  above.next = above.previous = kNone;
  return a;
}

// The roots of a list: in pairs from the first on, then these from the last back.
std::uint32_t Ready::meld_all(std::uint32_t first) noexcept {
  std::uint32_t pairs = kNone;
  while (first != kNone) {
    const std::uint32_t a = first, b = nodes_[a].next;
    first = b == kNone ? kNone : nodes_[b].next;
    nodes_[a].next = nodes_[a].previous = kNone;
    if (b != kNone) nodes_[b].next = nodes_[b].previous = kNone;
    const std::uint32_t pair = meld(a, b);
    nodes_[pair].next = std::exchange(pairs, pair);
  }
  std::uint32_t root = kNone;
  while (pairs != kNone) {
    const std::uint32_t pair = pairs;
    pairs = std::exchange(nodes_[pair].next, kNone);
    root = meld(root, pair);
  }
  return root;
}

void Ready::add(std::uint32_t match, const MatchKey& key) noexcept {
  const std::uint32_t stage = key.stage;
  nodes_[match] = {key.instance, key.tag, stage, kNone, kNone, kNone};
  if (roots_[stage] == kNone) {
    place_[stage] = static_cast<std::uint32_t>(stages_.size());
    stages_.push_back(stage);
  }
  roots_[stage] = meld(roots_[stage], match);
  ++count_;
}

void Ready::remove(std::uint32_t match) noexcept {
  Node& node = nodes_[match];
  if (node.previous == kAbsent) return;
  const std::uint32_t stage = node.stage;
  const std::uint32_t under = meld_all(std::exchange(node.child, kNone));
  if (roots_[stage] == match) {
    roots_[stage] = under;
  } else {
    Node& before = nodes_[node.previous];
    (before.child == match ? before.child : before.next) = node.next;
    if (node.next != kNone) nodes_[node.next].previous = node.previous;
    roots_[stage] = meld(roots_[stage], under);
  }
  node = Node();
  --count_;
  if (roots_[stage] != kNone) return;
  const std::uint32_t last = stages_.back();
  stages_[place_[stage]] = last;
  place_[last] = place_[stage];
  stages_.pop_back();
}

void Ready::begin_pass() noexcept {
  pass_.clear();
  for (const std::uint32_t stage : stages_) pass_.push_back(turn_of(stage));
  std::ranges::make_heap(pass_, Turn::is_later);
}

// The stage whose match was the oldest when it was added to the pass; kNone: all have had their turn.
std::uint32_t Ready::next_stage() noexcept {
  if (pass_.empty()) return kNone;
  std::ranges::pop_heap(pass_, Turn::is_later);
  const std::uint32_t stage = pass_.back().stage;
  pass_.pop_back();
  return stage;
}

void Ready::try_again(std::uint32_t stage) noexcept {
  pass_.push_back(turn_of(stage));
  std::ranges::push_heap(pass_, Turn::is_later);
}

Ready::Turn Ready::turn_of(std::uint32_t stage) const noexcept {
  const Node& oldest = nodes_[roots_[stage]];
  return {oldest.instance, oldest.tag, stage};
}

}  // namespace woa
