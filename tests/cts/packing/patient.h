// One side of a link by itself: repeats its calls until the other side got on.
#pragma once

#include <thread>

#include "tests/cts/packing/rig.h"

namespace woa::cts {

// Repeats the call while it is back-pressured. True: kOk.
template <class Call>
bool patiently(Call&& call) {
  for (;;) {
    const Outcome outcome = call();
    if (outcome != Outcome::kBackPressured) return outcome == Outcome::kOk;
    std::this_thread::yield();
  }
}

// Message `number` of a conversation: sizes that both sides know, in modes that change from message to message.
inline std::vector<Item> message_of(std::uint64_t number, const LinkSpec& spec) {
  const std::array sizes{std::size_t{0}, std::size_t{1}, viewable_bytes(spec),
                         std::size_t{spec.block_bytes} + number % 7, std::size_t{100}};
  std::vector<Item> items;
  for (std::uint64_t k = 0; k < 6; ++k) {
    const SendMode send = kSendModes[(number / 2 + k * k) % 3];
    const ReceiveMode receive = send == SendMode::kLater ? ReceiveMode::kCheaper : kReceiveModes[(number + k) % 2];
    items.push_back(item(sizes[(number + k) % sizes.size()], send, receive, false, number * 10 + k));
  }
  items.push_back(item(60, SendMode::kLater, kReceiveModes[number % 2], false, number));
  return items;
}

// Both run in threads and children, so they use no macro of Catch.
inline bool send_messages(Packer& packer, std::uint64_t count, const LinkSpec& spec) {
  for (std::uint64_t number = 0; number < count; ++number) {
    std::vector<Item> items = message_of(number, spec);
    if (!patiently([&] { return packer.begin(); })) return false;
    for (Item& item : items) {
      // A *later* piece gets its bytes after pack(); a *safer* one loses them.
      const Bytes bytes = item.sent;
      if (item.send == SendMode::kLater) item.sent.assign(bytes.size(), std::byte{0});
      if (!patiently([&] { return pack(packer, item); })) return false;
      if (item.send == SendMode::kLater) std::copy(bytes.begin(), bytes.end(), item.sent.begin());
      if (item.send == SendMode::kSafer) std::fill(item.sent.begin(), item.sent.end(), std::byte{0});
    }
    if (!patiently([&] { return packer.end(); })) return false;
  }
  return true;
}

inline bool receive_messages(Unpacker& unpacker, std::uint64_t count, const LinkSpec& spec) {
  for (std::uint64_t number = 0; number < count; ++number) {
    std::vector<Item> items = message_of(number, spec);
    if (!patiently([&] { return unpacker.begin(); })) return false;
    for (Item& item : items) {
      if (!patiently([&] { return unpack(unpacker, item); })) return false;
      if (item.receive == ReceiveMode::kExpress && !same(item.result(), item.sent)) return false;
    }
    if (!patiently([&] { return unpacker.end(); })) return false;
    for (const Item& item : items)
      if (!same(item.result(), item.sent)) return false;
  }
  return !patiently([&] { return unpacker.begin(); }) && unpacker.status().ok();
}

}  // namespace woa::cts
