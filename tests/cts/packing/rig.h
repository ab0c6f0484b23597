// Common to all tests of packed messages. Functions that the program links decide its transport and sizes.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/messaging/packing/link.h"
#include "runtime/messaging/packing/packer.h"
#include "runtime/messaging/packing/unpacker.h"
#include "tests/cts/transport/channel.h"
#include "tests/cts/transport/patience.h"

namespace woa::cts {

using packing::LinkSpec;
using packing::Outcome;
using packing::Packer;
using packing::Piece;
using packing::ReceiveMode;
using packing::SendMode;
using packing::Traffic;
using packing::Unpacker;
using Bytes = std::vector<std::byte>;

LinkSpec link_spec();  // blocks.cc

inline constexpr std::array kSendModes{SendMode::kSafer, SendMode::kLater, SendMode::kCheaper};
inline constexpr std::array kReceiveModes{ReceiveMode::kExpress, ReceiveMode::kCheaper};

// The largest piece that can be viewed.
inline std::size_t viewable_bytes(const LinkSpec& spec) { return spec.block_bytes - packing::kDescriptorBytes; }

// A link as both of its ends see it.
struct LinkEnds {
  packing::Link packer, unpacker;
};
inline LinkEnds allocate_ends(const Link& sides, const LinkSpec& spec) {
  auto [packer, unpacker] =
      connected_ends(sides, [&](AnyTransport transport) { return packing::allocate_link(transport, spec, "link"); });
  return {std::move(packer), std::move(unpacker)};
}

// Both ends of a link. A message may arrive some time after it was sent.
struct Rig {
  explicit Rig(const LinkSpec& link_spec = cts::link_spec(), std::shared_ptr<Link> over = usual_sides())
      : spec(link_spec), sides(std::move(over)) {}
  // Both ends are closed by now; waits, so that their last packets do not meet the next rig's memory.
  ~Rig() { sides->settle(); }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  [[nodiscard]] Result<std::unique_ptr<Packer>> open_packer() const {
    return Packer::open(sides->producer, spec, ends.packer);
  }
  [[nodiscard]] Result<std::unique_ptr<Unpacker>> open_unpacker() const {
    return Unpacker::open(sides->consumer, spec, ends.unpacker);
  }
  // Closes the channel on behalf of a process that died.
  [[nodiscard]] bool close_channel() const {
    return sides->close_channel(packing::channel_of(sides->producer, spec),
                                {ends.packer.channel, ends.unpacker.channel});
  }

  LinkSpec spec;
  std::shared_ptr<Link> sides;
  LinkEnds ends = allocate_ends(*sides, spec);
};

struct OpenRig : Rig {
  using Rig::Rig;
  std::unique_ptr<Packer> packer = need(open_packer());
  std::unique_ptr<Unpacker> unpacker = need(open_unpacker());
};

// One side's calls, in order; each is repeated while it is back-pressured.
class Script {
 public:
  Script& then(std::function<Outcome()> call) {
    calls_.push_back(std::move(call));
    return *this;
  }
  [[nodiscard]] bool done() const { return at_ == calls_.size() || last_ != Outcome::kOk; }
  // kOk, or the outcome that stopped the script.
  [[nodiscard]] Outcome last() const { return last_; }
  // Makes calls until one is back-pressured. True if any call got on.
  bool run() {
    const std::size_t before = at_;
    while (!done()) {
      const Outcome outcome = calls_[at_]();
      if (outcome == Outcome::kBackPressured) break;
      last_ = outcome;
      if (outcome == Outcome::kOk) ++at_;
    }
    return at_ != before;
  }

 private:
  std::vector<std::function<Outcome()>> calls_;
  std::size_t at_ = 0;
  Outcome last_ = Outcome::kOk;
};

// Runs both sides in turn. False on a deadlock: neither gets on any more, and not both are done.
inline bool run_both(Script& sender, Script& receiver) {
  while (!sender.done() || !receiver.done())
    if (!in_time([&] {
          const bool sent = sender.run(), got = receiver.run();
          return sent || got || (sender.done() && receiver.done());
        }))
      return false;
  return true;
}

// One piece of a message, as both sides have it.
struct Item {
  Bytes sent, received;
  SendMode send = SendMode::kCheaper;
  ReceiveMode receive = ReceiveMode::kCheaper;
  bool by_view = false;
  std::span<const std::byte> view;

  [[nodiscard]] std::span<const std::byte> result() const {
    return by_view ? view : std::span<const std::byte>(received);
  }
};

inline Item item(std::size_t bytes, SendMode send, ReceiveMode receive, bool by_view = false, std::uint64_t seed = 1) {
  return {pattern(bytes, seed), Bytes(by_view ? 0 : bytes), send, receive, by_view, {}};
}

inline bool same(std::span<const std::byte> one, std::span<const std::byte> other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end());
}

inline Outcome pack(Packer& packer, const Item& item) { return packer.pack(item.sent, item.send, item.receive); }
inline Outcome unpack(Unpacker& unpacker, Item& item) {
  if (item.by_view) return unpacker.view(item.sent.size(), item.send, item.receive, item.view);
  return unpacker.unpack(item.received, item.send, item.receive);
}

// Adds the calls for one message; `items` must outlive the script. The receiver checks a piece that must be there right
// after its call, and fails as kRefused if it is not.
inline void add_message(Script& script, Packer& packer, const std::vector<Item>& items) {
  script.then([&packer] { return packer.begin(); });
  for (const Item& item : items) script.then([&packer, &item] { return pack(packer, item); });
  script.then([&packer] { return packer.end(); });
}
inline void add_message(Script& script, Unpacker& unpacker, std::vector<Item>& items) {
  script.then([&unpacker] { return unpacker.begin(); });
  for (Item& item : items) {
    script.then([&unpacker, &item] {
      const Outcome outcome = unpack(unpacker, item);
      if (outcome != Outcome::kOk || item.receive == ReceiveMode::kCheaper) return outcome;  // the peer may write there
      return same(item.result(), item.sent) ? outcome : Outcome::kRefused;
    });
  }
  script.then([&unpacker, &items] {
    const Outcome outcome = unpacker.end();
    if (outcome != Outcome::kOk) return outcome;
    for (const Item& item : items)
      if (!same(item.result(), item.sent)) return Outcome::kRefused;
    return outcome;
  });
}

// Sends `items` as one message, and requires that they arrive.
inline void exchange(Packer& packer, Unpacker& unpacker, std::vector<Item>& items) {
  Script sender, receiver;
  add_message(sender, packer, items);
  add_message(receiver, unpacker, items);
  const bool ended = run_both(sender, receiver);
  INFO("packer: " << packer.status().message() << "\nunpacker: " << unpacker.status().message());
  REQUIRE(ended);
  REQUIRE(sender.last() == Outcome::kOk);
  REQUIRE(receiver.last() == Outcome::kOk);
}

inline std::span<std::byte> bytes_of(std::uint64_t& value) { return std::as_writable_bytes(std::span(&value, 1)); }

}  // namespace woa::cts
