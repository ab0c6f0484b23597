// Rule 1: tokens are matched by (stage, instance, tag), and nothing else decides a match.
//
// Holds every token that has arrived at this controller and that no firing has taken. Sized at start from the plan's
// blocks: a token that arrives occupies a block of its edge, so only a faulty peer can fill it. One thread; no
// allocation after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/controller/layout.h"
#include "runtime/controller/token.h"
#include "runtime/plan/plan.h"

namespace woa {

// What tokens are matched by, and until when they are wanted.
struct MatchKey {
  std::uint32_t stage = 0;
  std::uint64_t instance = 0, tag = 0;
  std::uint64_t deadline = 0;  // 0: none; of several tokens the latest
};

// The tokens of one (stage, instance, tag). A relay's and a kernel's matches are alike; the source's has no tokens. Of
// a port that gathers, the elements that have come, and in the token's place the count.
struct Match : MatchKey {
  std::uint32_t missing = 0;  // non-hold ports still without a token
  bool ready = false;         // complete: every port has its token
  bool in_use = false;
  std::uint32_t next = kNone;  // chain of the hash bucket, or of the free list
};

class MatchTable {
 public:
  // For the stages of `controller`.
  MatchTable(const Plan& plan, const Layout& layout, std::uint32_t controller);

  // kDuplicate, kFull: nothing is stored; the port has a token of that instance and tag, or all blocks are in use.
  enum class Added : std::uint8_t { kWaiting, kReady, kHeld, kDuplicate, kFull };
  // Stores a token of its stage's non-hold port. kReady: `match` is now complete.
  Added add(const Token& token, std::uint32_t& match);
  // Stores a token of a hold port: kHeld, and matches of its instance may become ready; look at them with for_each.
  Added hold(const Token& token);
  // Adds a match without tokens that is ready at once (an admitted instance at the source); kNone if all are in use.
  std::uint32_t add_empty(std::uint32_t stage, std::uint64_t instance, std::uint64_t deadline);
  // Do held tokens serve every hold port of this match? Then sets ready.
  bool complete(std::uint32_t match);

  // The match of these, if it is complete; else kNone.
  [[nodiscard]] std::uint32_t complete_one(std::uint32_t stage, std::uint64_t instance,
                                           std::uint64_t tag) const noexcept {
    const std::uint32_t match = find(stage, instance, tag);
    return match != kNone && matches_[match].ready ? match : kNone;
  }

  Match& operator[](std::uint32_t match) noexcept { return matches_[match]; }
  // The tag that a token is matched by: without the number of an element that is gathered here.
  [[nodiscard]] std::uint64_t matched_tag(const ActivationPacket& header) const noexcept;
  // Calls fn(token) for every element that a port has gathered, in any order.
  template <class Fn>
  void each_element(std::uint32_t match, std::uint32_t port, Fn fn) const {
    if (gathers_.empty()) return;
    for (std::uint32_t e = gathers_[place_of(match, port)].first; e != kNone; e = elements_[e].next)
      fn(elements_[e].token);
  }
  // By input port: the tokens to be consumed, hold ports left empty (held() finds those).
  std::span<Token> tokens(std::uint32_t match) noexcept;
  Token* held(std::uint32_t stage, std::uint32_t port, std::uint64_t instance, std::uint64_t tag) noexcept;
  void erase(std::uint32_t match) noexcept;

  // Calls fn(index) for every match in use; fn may erase that match.
  template <class Fn>
  void for_each(Fn fn) {
    for (std::uint32_t m = 0, left = used_; left > 0 && m < matches_.size(); ++m) {
      if (!matches_[m].in_use) continue;
      --left;
      fn(m);
    }
  }
  // Calls fn(stage, token) for every held token for which drop(stage, instance) is true, and forgets it.
  template <class Drop, class Fn>
  void drop_held(Drop drop, Fn fn) {
    for (std::size_t h = 0; h < held_.size();) {
      if (!drop(held_[h].stage, held_[h].token.header.instance)) {
        ++h;
        continue;
      }
      fn(held_[h].token);
      if (h + 1 < held_.size()) {
        held_[h] = held_.back();
        held_inline_.keep(h, held_[h].token);
      }
      held_.pop_back();
    }
  }
  [[nodiscard]] bool empty() const noexcept { return used_ == 0 && held_.empty(); }

 private:
  struct Held {
    std::uint32_t stage, port;
    Token token;
  };
  // What one match has of a port that gathers.
  struct Gather {
    std::uint32_t first = kNone, came = 0;
    std::uint64_t expected = ~std::uint64_t{0};  // as its count says
  };
  struct Element {
    Token token;
    std::uint32_t next = kNone;  // of its port, or of the free list
  };
  [[nodiscard]] std::size_t place_of(std::uint32_t match, std::uint32_t port) const noexcept {
    return std::size_t{match} * max_ports_ + port;
  }
  Added add_element(std::uint32_t match, const Token& token);
  std::uint32_t bucket(std::uint32_t stage, std::uint64_t instance, std::uint64_t tag) const noexcept;
  std::uint32_t insert(std::uint32_t stage, std::uint64_t instance, std::uint64_t tag);
  std::uint32_t find(std::uint32_t stage, std::uint64_t instance, std::uint64_t tag) const noexcept;

  const Plan& plan_;
  std::uint32_t max_ports_ = 1;
  std::vector<std::uint32_t> open_inputs_;  // by stage: those that are not held
  std::vector<Match> matches_;
  std::vector<Token> tokens_;    // max_ports_ per match
  InlineStore inline_;           // a place per token
  std::vector<Gather> gathers_;  // likewise; empty if no stage here gathers
  std::vector<Element> elements_;
  InlineStore element_inline_;  // a place per element
  std::uint32_t free_element_ = kNone;
  std::vector<std::uint32_t> buckets_;  // a power of two
  std::vector<Held> held_;
  InlineStore held_inline_;  // likewise
  std::uint32_t free_ = kNone;
  std::uint32_t used_ = 0;
};

}  // namespace woa
