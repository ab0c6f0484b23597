// What lies between the end that really receives and the ring that is checked: a wire that may lose, hold back, swap,
// repeat and damage what it carries. Internal to the fault transport.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/transport/fault/fault_schedule.h"

namespace woa {

// `Item` is copyable and has flip(bit) and kBits. Allocates only while it does harm.
template <class Item>
class LossyPath {
 public:
  // Puts an item into the ring, at a position that counts from 0 and wraps with the ring.
  using Land = std::function<void(std::uint64_t position, const Item& item)>;

  LossyPath(FaultSchedule schedule, Landing landing, Land land)
      : schedule_(std::move(schedule)), landing_(landing), land_(std::move(land)) {}

  // False: something is held back, and what is behind it must wait.
  [[nodiscard]] bool takes() const noexcept { return !held_; }
  // Something is still on its way.
  [[nodiscard]] bool carries() const noexcept { return held_ || !late_.empty(); }

  // The next item from the sender. Only while it takes().
  void put(const Item& item) noexcept {
    const std::uint64_t number = sent_++;
    const std::optional<Fault> fault = schedule_.next(Item::kBits);
    if (!fault) {
      arrive(number, item);
      return be_overtaken();
    }
    switch (fault->kind) {
      case FaultKind::kDelay:
        if (fault->amount == 0) break;
        held_ = Late{number, item, fault->amount};
        return;
      case FaultKind::kReorder: return be_late({number, item, fault->amount});
      case FaultKind::kDuplicate: arrive(number, item); return be_late({number, item, fault->amount});
      case FaultKind::kCorrupt: {
        Item damaged = item;
        damaged.flip(fault->bit);
        arrive(number, damaged);
        return be_overtaken();
      }
      case FaultKind::kDrop: return be_overtaken();
      case FaultKind::kFillUp:
      case FaultKind::kKill: break;  // of ends, not of a wire
    }
    arrive(number, item);
    be_overtaken();
  }

  // Call once per poll: time passes.
  void tick() noexcept {
    if (held_ && --held_->wait == 0) {
      const Late held = *std::exchange(held_, std::nullopt);
      arrive(held.number, held.item);
      be_overtaken();
    }
    // What nothing follows is overtaken by nothing.
    quiet_polls_ = late_.empty() ? 0 : quiet_polls_ + 1;
    if (quiet_polls_ < kMaxQuietPolls) return;
    for (Late& late : late_) late.wait = 0;
    land_overtaken();
  }

 private:
  static constexpr std::uint32_t kMaxQuietPolls = 16;
  struct Late {
    std::uint64_t number;
    Item item;
    std::uint32_t wait;  // polls if held back, items that have yet to overtake it otherwise
  };

  void arrive(std::uint64_t number, const Item& item) noexcept {
    land_(landing_ == Landing::kByNumber ? number : arrived_, item);
    ++arrived_;
  }
  void be_late(Late late) noexcept {
    be_overtaken();
    late_.push_back(std::move(late));
    land_overtaken();
  }
  // Something has arrived, or would have.
  void be_overtaken() noexcept {
    quiet_polls_ = 0;
    for (Late& late : late_) late.wait -= late.wait == 0 ? 0 : 1;
    land_overtaken();
  }
  void land_overtaken() noexcept {
    for (const Late& late : late_)
      if (late.wait == 0) arrive(late.number, late.item);
    std::erase_if(late_, [](const Late& late) { return late.wait == 0; });
  }

  FaultSchedule schedule_;
  Landing landing_;
  Land land_;
  std::uint64_t sent_ = 0, arrived_ = 0;
  std::uint32_t quiet_polls_ = 0;
  std::optional<Late> held_;
  std::vector<Late> late_;  // overtaken or repeated, in the order of their numbers
};

}  // namespace woa
