// Common to all tests of one-sided updates. The environment names transport and way.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "runtime/messaging/onesided/link.h"
#include "runtime/messaging/onesided/region.h"
#include "runtime/messaging/onesided/update_receiver.h"
#include "runtime/messaging/onesided/updater.h"
#include "tests/cts/transport/channel.h"
#include "tests/cts/transport/patience.h"

namespace woa::cts {

using onesided::Operation;
using onesided::Outcome;
using onesided::Region;
using onesided::Sharing;
using onesided::Update;
using onesided::Updater;
using onesided::UpdateReceiver;
using onesided::Width;

// A way of updating. One file registers it for the suite (naive_way.cc); WOA_CTS_WAY in the environment chooses one.
struct Way {
  Sharing sharing = Sharing::kExclusive;
  bool owner_polls = true;     // updates are done when the owner polls, not at once
  onesided::LinkSpec link;     // unless the owner must poll, only result_slots is used
  bool holds_updates = false;  // until flush(), poll() or a full bucket
  Result<std::unique_ptr<Updater>> (*open)(AnyTransport transport, const Way& way, const onesided::Link& link,
                                           const Region& region, std::uint32_t origin) = nullptr;
};
struct RegisteredWay {
  RegisteredWay(std::string_view name, const Way& way);
};
const Way& way();  // the chosen one

// A link as both of its ends see it.
struct LinkEnds {
  onesided::Link origin, owner;
};
inline LinkEnds allocate_ends(const Link& sides, const onesided::LinkSpec& spec) {
  auto [origin, owner] =
      connected_ends(sides, [&](AnyTransport transport) { return onesided::allocate_link(transport, spec, "link"); });
  return {std::move(origin), std::move(owner)};
}

// A region, its owner's ends, and links for origins, whose ends the test opens where it needs them. An update may
// arrive some time after it was sent.
class Rig {
 public:
  explicit Rig(std::size_t bytes, std::uint32_t origins = 1)
      : region(need(Region::make(sides->memory(), "region", bytes, cts::way().sharing))) {
    for (std::uint32_t k = 0; k < origins; ++k) {
      links.push_back(allocate_ends(*sides, way.link));
      receivers.push_back(need(UpdateReceiver::open(sides->consumer, way.link, links.back().owner, region)));
    }
  }
  // Waits until everything sent has arrived, so that it does not meet the next rig's memory.
  ~Rig() {
    receivers.clear();
    sides->settle();
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  // Opens an origin's end, in the process that uses it.
  [[nodiscard]] Result<std::unique_ptr<Updater>> open(std::uint32_t origin = 0) const {
    if (way.owner_polls) return way.open(sides->producer, way, links[origin].origin, region, origin);
    auto attached = Region::attach(region.segment());
    if (!attached.ok()) return attached.status();
    return way.open(sides->producer, way, links[origin].origin, *attached, origin);
  }
  // Closes the channel on behalf of an origin's process that died.
  [[nodiscard]] bool close_channel(std::uint32_t origin) const {
    return sides->close_channel(onesided::channel_of(sides->producer, way.link),
                                {links[origin].origin.channel, links[origin].owner.channel});
  }

  // Runs the owner's duty cycle; returns the packets taken.
  std::size_t poll() {
    std::size_t packets = 0;
    for (auto& receiver : receivers) packets += receiver->poll(kAll);
    return packets;
  }
  // Polls until `packets` packets have come; false if another number came.
  bool takes(std::size_t packets) {
    std::size_t taken = 0;
    return in_time([&] { return (taken += poll()) >= packets; }) && taken == packets;
  }
  // Issues an update, polling as the owner while there is no place. For tests that play both sides.
  Outcome issue(Updater& updater, const Update& update) {
    Outcome outcome = Outcome::kBackPressured;
    (void)in_time([&] {
      outcome = updater.update(update);
      return outcome != Outcome::kBackPressured || (poll(), false);
    });
    return outcome;
  }
  // Sends everything and waits for its completion, as both sides. False if it does not complete.
  bool settle(Updater& updater) {
    return in_time([&] {
             const bool closed = updater.flush() == Outcome::kClosed;
             poll();
             return closed || updater.completed() == updater.issued();
           }) &&
           updater.completed() == updater.issued();
  }

  std::shared_ptr<Link> sides = usual_sides();
  Way way = cts::way();
  Region region;
  std::vector<LinkEnds> links;
  std::vector<std::unique_ptr<UpdateReceiver>> receivers;
};

// A second implementation of an update, different on purpose: on two halves or one, by arithmetic alone. Returns the
// old value.
inline std::uint64_t model_update(std::span<std::byte> bytes, const Update& update) {
  const auto width = static_cast<std::size_t>(update.width);
  const std::uint64_t mask = width == 4 ? 0xffffffff : ~std::uint64_t{0};
  std::uint64_t old = 0;
  std::memcpy(&old, bytes.data() + update.offset, width);
  const std::uint64_t operand = update.operand & mask;
  std::uint64_t value = old;
  if (update.operation == Operation::kPut) value = operand;
  if (update.operation == Operation::kSum || update.operation == Operation::kFetchAdd) value = (old + operand) & mask;
  if (update.operation == Operation::kXor) value = (old | operand) & ~(old & operand);
  if (update.operation == Operation::kMin && operand < old) value = operand;
  if (update.operation == Operation::kMax && operand > old) value = operand;
  if (update.operation == Operation::kCompareSwap && old == (update.expected & mask)) value = operand;
  std::memcpy(bytes.data() + update.offset, &value, width);
  return old;
}

inline constexpr std::array kOperations{Operation::kPut, Operation::kSum,      Operation::kXor,        Operation::kMin,
                                        Operation::kMax, Operation::kFetchAdd, Operation::kCompareSwap};

}  // namespace woa::cts
