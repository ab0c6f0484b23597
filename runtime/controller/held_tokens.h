// Tokens of ports declared `hold`: they serve every firing that shares their counters, until their instance retires or,
// at ports that are renewed, until a token of a later turn has come.
//
// Sized at start from the plan's blocks, as the match table is. One thread; no allocation after construction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/controller/stage_program.h"
#include "runtime/controller/token.h"
#include "runtime/memory/by_instance.h"

namespace woa {

class HeldTokens {
 public:
  enum class Added : std::uint8_t { kHeld, kDuplicate, kFull };

  HeldTokens(const Plan& plan, const Layout& layout, std::uint32_t controller, StagePrograms& programs);

  // kDuplicate, kFull: nothing is stored; the port has a token of that instance and tag, or all blocks are in use.
  [[nodiscard]] Added add(const InPort& port, const Token& token) noexcept;
  // The token that serves a firing; null if it has not come.
  [[nodiscard]] Token* find(const InPort& port, std::uint64_t instance, std::uint64_t tag) noexcept {
    for (std::uint32_t h = first(port, instance); h != kNone; h = held_[h].next) {
      Token& token = held_[h].token;
      if (token.header.instance == instance && ((token.header.tag ^ tag) & port.plan->hold_mask) == 0) return &token;
    }
    return nullptr;
  }
  // Calls fn(token) for what the port holds of the instance, and forgets it.
  template <class Fn>
  void drop(const InPort& port, std::uint64_t instance, Fn fn) noexcept {
    drop_if(
        port, instance, [](const Token&) { return true; }, fn);
  }
  // Drops all but the token of the latest turn, as drop() does.
  template <class Fn>
  void drop_earlier(const InPort& port, std::uint64_t instance, Fn fn) noexcept {
    std::uint64_t latest = 0;
    for (std::uint32_t h = first(port, instance); h != kNone; h = held_[h].next) {
      const ActivationPacket& header = held_[h].token.header;
      if (header.instance == instance) latest = std::max(latest, header.tag);
    }
    drop_if(
        port, instance, [&](const Token& token) { return token.header.tag < latest; }, fn);
  }

 private:
  template <class If, class Fn>
  void drop_if(const InPort& port, std::uint64_t instance, If drops, Fn fn) noexcept {
    for (std::uint32_t* link = &first(port, instance); *link != kNone;) {
      Held& held = held_[*link];
      if (held.token.header.instance != instance || !drops(held.token)) {
        link = &held.next;
        continue;
      }
      fn(held.token);
      const std::uint32_t next = std::exchange(held.next, free_);
      free_ = std::exchange(*link, next);
    }
  }

  struct Held {
    Token token;
    std::uint32_t next = kNone;  // of its list, or of the free ones
  };
  [[nodiscard]] std::uint32_t& first(const InPort& port, std::uint64_t instance) noexcept {
    return lists_[port.held_lists][instance];
  }

  std::vector<ByInstance<std::uint32_t>> lists_;  // by InPort::held_lists: the first of the instance
  std::vector<Held> held_;
  InlineStore inline_;  // a place for each of them
  std::uint32_t free_ = kNone;
};

}  // namespace woa
