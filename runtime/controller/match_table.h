// Rule 1: tokens are matched by (stage, instance, tag), and nothing else decides a match.
//
// Holds every token that has arrived at this controller and that no firing has taken. Sized at start from the plan's
// blocks: a token that arrives occupies a block of its edge, so only a faulty peer can fill it. One thread; no
// allocation after construction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/controller/layout.h"
#include "runtime/controller/stage_program.h"
#include "runtime/controller/token.h"

namespace woa {

// What tokens are matched by, and until when they are wanted.
struct MatchKey : Activation {
  std::uint32_t stage = 0;
};

// The tokens of one (stage, instance, tag). A relay's and a kernel's matches are alike. Of a port that gathers, the
// elements that have come, and in the token's place the count.
struct Match : MatchKey {
  std::uint32_t missing = 0;  // non-hold ports still without a token
  bool complete = false;      // every port has its token, held ones included
  bool in_use = false;
  std::uint32_t bucket = 0;
  std::uint32_t next = kNone;  // of its bucket, or of the free list
};

class MatchTable {
 public:
  // For the stages of `controller`.
  MatchTable(const Plan& plan, const Layout& layout, std::uint32_t controller, StagePrograms& programs);

  // kDuplicate, kFull: nothing is stored; the port has a token of that instance and tag, or all blocks are in use.
  enum class Added : std::uint8_t { kWaiting, kWhole, kDuplicate, kFull };
  // Stores a token of a stage's non-hold port. kWhole: every such port of `match` has one now.
  Added add(const StageProgram& stage, const InPort& port, const Token& token, std::uint32_t& match) noexcept {
    const ActivationPacket& header = token.header;
    const std::uint64_t tag = header.tag & ~port.number_bits;
    const std::uint32_t at = bucket(stage.id, header.instance, tag);
    match = find_in(at, stage.id, header.instance, tag);
    if (match == kNone) match = insert(at, stage.id, header.instance, tag);
    if (match == kNone) return Added::kFull;
    if (port.gathers) return add_element(port, match, token);
    const std::size_t place = place_of(match, header.port);
    if (tokens_[place].present()) return Added::kDuplicate;
    tokens_[place] = token;
    inline_.keep(place, tokens_[place]);
    Match& entry = matches_[match];
    entry.deadline = std::max(entry.deadline, header.deadline);
    return --entry.missing == 0 ? Added::kWhole : Added::kWaiting;
  }
  // The match of these; kNone if no token of it has come.
  [[nodiscard]] std::uint32_t find(std::uint32_t stage, std::uint64_t instance, std::uint64_t tag) const noexcept {
    return find_in(bucket(stage, instance, tag), stage, instance, tag);
  }
  [[nodiscard]] Match& operator[](std::uint32_t match) noexcept { return matches_[match]; }
  // By input port: the tokens to be consumed, hold ports left empty.
  [[nodiscard]] std::span<Token> tokens(std::uint32_t match) noexcept {
    return {&tokens_[std::size_t{match} * max_ports_], programs_[matches_[match].stage].inputs.size()};
  }
  // Calls fn(token) for every element that a port has gathered, in the order in which they came.
  template <class Fn>
  void each_element(std::uint32_t match, std::uint32_t port, Fn fn) const {
    if (gathers_.empty()) return;
    for (std::uint32_t e = gathers_[place_of(match, port)].first; e != kNone; e = elements_[e].next)
      fn(elements_[e].token);
  }
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
  [[nodiscard]] std::size_t size() const noexcept { return matches_.size(); }
  [[nodiscard]] bool empty() const noexcept { return used_ == 0; }

 private:
  // What one match has of a port that gathers.
  struct Gather {
    std::uint32_t first = kNone, last = kNone, came = 0;
    std::uint64_t expected = ~std::uint64_t{0};  // as its count says
  };
  struct Element {
    Token token;
    std::uint32_t next = kNone;  // of its port, or of the free list
  };
  [[nodiscard]] std::size_t place_of(std::uint32_t match, std::uint32_t port) const noexcept {
    return std::size_t{match} * max_ports_ + port;
  }
  Added add_element(const InPort& port, std::uint32_t match, const Token& token) noexcept;
  [[nodiscard]] std::uint32_t bucket(std::uint32_t stage, std::uint64_t instance, std::uint64_t tag) const noexcept {
    std::uint64_t hash = (instance * 0x9E3779B97F4A7C15U) ^ (tag * 0xC2B2AE3D27D4EB4FU) ^ (stage * 0x165667B19E3779F9U);
    hash ^= hash >> 29;
    return static_cast<std::uint32_t>(hash) & static_cast<std::uint32_t>(buckets_.size() - 1);
  }
  [[nodiscard]] std::uint32_t find_in(std::uint32_t bucket, std::uint32_t stage, std::uint64_t instance,
                                      std::uint64_t tag) const noexcept {
    for (std::uint32_t m = buckets_[bucket]; m != kNone; m = matches_[m].next) {
      const Match& match = matches_[m];
      if (match.stage == stage && match.instance == instance && match.tag == tag) return m;
    }
    return kNone;
  }
  [[nodiscard]] std::uint32_t insert(std::uint32_t bucket, std::uint32_t stage, std::uint64_t instance,
                                     std::uint64_t tag) noexcept;

  StagePrograms& programs_;
  std::uint32_t max_ports_ = 1;
  std::vector<std::uint32_t> open_inputs_;  // by stage: those that are not held
  std::vector<Match> matches_;
  std::vector<Token> tokens_;    // max_ports_ per match
  InlineStore inline_;           // a place per token
  std::vector<Gather> gathers_;  // a place per token; empty if no stage here gathers
  std::vector<Element> elements_;
  InlineStore element_inline_;  // a place per element
  std::uint32_t free_element_ = kNone;
  std::vector<std::uint32_t> buckets_;  // a power of two
  std::uint32_t free_ = kNone;
  std::uint32_t used_ = 0;
};

}  // namespace woa
