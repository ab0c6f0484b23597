// Complete matches that wait to fire. Of a stage only the oldest is tried: while that finds no room, no worker or not
// its turn, the younger ones wait behind it. So no step grows with the number of instances in flight.
//
// Each stage has a pairing heap (Fredman, Sedgewick, Sleator, Tarjan: The pairing heap, Algorithmica 1, 1986) of
// numbers in the match table. One thread; no allocation after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/controller/match_table.h"

namespace woa {

class Ready {
 public:
  // For so many matches, by their numbers, and so many stages.
  Ready(std::size_t matches, std::size_t stages);

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  // A match that is not there.
  void add(std::uint32_t match, const MatchKey& key) noexcept;
  // Forgets the match if it is there.
  void remove(std::uint32_t match) noexcept;
  // Calls fire(match) for the oldest match of each stage, the oldest instance first; and while that answers true, which
  // has removed the match, for the next one of its stage. Others may be added and removed meanwhile.
  template <class Fire>
  void each_oldest(const Fire& fire) noexcept;

 private:
  static constexpr std::uint32_t kAbsent = kNone - 1;
  struct Node {
    std::uint64_t instance = 0, tag = 0;
    std::uint32_t stage = 0;
    std::uint32_t child = kNone, next = kNone;  // the first of those under it; the next under the same one
    std::uint32_t previous = kAbsent;           // the one before it, or above it; kNone: a root; kAbsent: not there
  };
  [[nodiscard]] bool is_older(std::uint32_t a, std::uint32_t b) const noexcept;
  [[nodiscard]] std::uint32_t meld(std::uint32_t a, std::uint32_t b) noexcept;
  [[nodiscard]] std::uint32_t meld_all(std::uint32_t first) noexcept;
  // A stage in a pass, by the age of its oldest match.
  struct Turn {
    std::uint64_t instance, tag;
    std::uint32_t stage;
    [[nodiscard]] static bool is_later(const Turn& a, const Turn& b) noexcept {
      return a.instance != b.instance ? a.instance > b.instance : a.tag > b.tag;
    }
  };
  [[nodiscard]] Turn turn_of(std::uint32_t stage) const noexcept;
  void begin_pass() noexcept;
  [[nodiscard]] std::uint32_t next_stage() noexcept;
  void try_again(std::uint32_t stage) noexcept;

  std::vector<Node> nodes_;            // by match
  std::vector<std::uint32_t> roots_;   // by stage: its oldest match
  std::vector<std::uint32_t> stages_;  // that have matches
  std::vector<std::uint32_t> place_;   // by stage, in stages_
  std::vector<Turn> pass_;             // of each_oldest(): a heap, the oldest first
  std::size_t count_ = 0;
};

template <class Fire>
void Ready::each_oldest(const Fire& fire) noexcept {
  begin_pass();
  for (std::uint32_t stage = next_stage(); stage != kNone; stage = next_stage()) {
    if (roots_[stage] != kNone && fire(roots_[stage]) && roots_[stage] != kNone) try_again(stage);
  }
}

}  // namespace woa
