// Rule 1 in one place: tokens that wait for others, tokens that are held, and complete matches that wait to fire.
//
// One thread; no allocation after construction.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/controller/block_returns.h"
#include "runtime/controller/held_tokens.h"
#include "runtime/controller/match_table.h"
#include "runtime/controller/ready.h"
#include "runtime/controller/stage_program.h"
#include "runtime/controller/token.h"

namespace woa {

class Matching {
 public:
  // Everything outlives it.
  Matching(const Plan& plan, const Layout& layout, std::uint32_t controller, StagePrograms& programs,
           BlockReturns& returns);

  enum class Added : std::uint8_t {
    kWaits,      // for other tokens, or for the element before it
    kReady,      // `match` is complete and may fire
    kDuplicate,  // its port has a token of that instance and tag; nothing is stored
    kFull        // all blocks are in use: the peer is at fault; nothing is stored
  };
  // Stores a token of a stage's port, held or not. A held one may let waiting matches become ready: they are.
  Added add(const StageProgram& stage, const InPort& port, const Token& token, std::uint32_t& match) noexcept;
  // Queues a complete match by age.
  void make_ready(std::uint32_t match) noexcept {
    ready_.add(match, table_[match]);
    look_again_ = true;
  }
  // A firing of that tag has ended: the match for the element after it may become ready.
  void make_next_ready(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag) noexcept;

  [[nodiscard]] Ready& ready() noexcept { return ready_; }
  [[nodiscard]] MatchTable& table() noexcept { return table_; }
  // The token of a held port that serves a firing; null if it has not come.
  [[nodiscard]] Token* held(const InPort& port, std::uint64_t instance, std::uint64_t tag) noexcept {
    return held_.find(port, instance, tag);
  }
  // True if all held tokens that a firing needs are there.
  [[nodiscard]] bool has_held(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag) noexcept {
    return !stage.holds || has_each_held(stage, instance, tag);
  }
  // Forgets a match whose tokens a firing took.
  void erase(std::uint32_t match) noexcept {
    ready_.remove(match);
    table_.erase(match);
  }

  // An instance is dead at its stage: drops its tokens, held ones only if none of its firings is running.
  void drop(const StageProgram& stage, const StageInstance& entry) noexcept;
  // Drops what is held for an instance; it has served.
  void release_held(const StageProgram& stage, std::uint64_t instance) noexcept;
  // Drops what is held of earlier turns, once none of the instance's firings runs, at ports that are renewed. Their
  // readers have ended: the compiler saw to it. A device that orders its firings may still run them.
  void renew(const StageProgram& stage, std::uint64_t instance) noexcept;
  // Instances `from` to `oldest` - 1 have retired: drops their tokens.
  void retire(std::uint64_t from, std::uint64_t oldest) noexcept;

  // Something changed that may let a ready match fire.
  void look_again() noexcept { look_again_ = true; }
  [[nodiscard]] bool take_look_again() noexcept { return std::exchange(look_again_, false); }

 private:
  [[nodiscard]] bool has_each_held(const StageProgram& stage, std::uint64_t instance, std::uint64_t tag) noexcept;
  [[nodiscard]] bool waits_for_element(const MatchKey& match) noexcept;
  [[nodiscard]] bool complete(const StageProgram& stage, std::uint32_t match) noexcept;
  void ready_by_held(const StageProgram& stage, std::uint64_t instance) noexcept;
  void drop_match(std::uint32_t match) noexcept;

  StagePrograms& programs_;
  BlockReturns& returns_;
  const std::uint32_t window_;
  MatchTable table_;
  HeldTokens held_;
  std::vector<std::uint32_t> holders_;  // stages that hold tokens
  Ready ready_;
  bool look_again_ = false;
};

}  // namespace woa
