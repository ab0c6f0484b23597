// A channel between the two processes of a benchmark, and what both do with their ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/measure/spin.h"
#include "runtime/memory/block_pool.h"
#include "runtime/transport/shared_memory.h"

namespace woa::bench {

using namespace measure;

// The inline_bytes of a channel's spec for payloads of `bytes`.
constexpr std::uint32_t inline_room(std::uint64_t bytes) {
  constexpr std::uint64_t kStep = 64;
  return static_cast<std::uint32_t>((bytes + kStep - 1) / kStep * kStep);
}

// Both ends are opened before the fork, so that the child has no error to report; then each process uses one.
struct Channel {
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Receiver> receiver;
};

// kUnsupported: the transport's memory does not cross processes. Other errors: as SharedMemory.
Result<Channel> open_channel(SharedMemory& transport, const ChannelSpec& spec);

// A region of payload, mapped as its producer and as its consumer see it, and touched by the producer.
struct Region {
  std::unique_ptr<Mapping> producer, consumer;
};

// Errors as open_channel().
Result<Region> open_region(SharedMemory& transport, std::size_t bytes);

// Reserves a place in the ring, waiting for one. False: the other side is gone.
[[nodiscard]] inline bool wait_for_place(Sender& sender) {
  Push push = Push::kBackPressured;
  return spin_until([&] { return (push = sender.reserve()) != Push::kBackPressured; }) && push == Push::kOk;
}

// Gives blocks that came back to their pool. False: one of them was not out.
[[nodiscard]] inline bool take_back(Sender& sender, BlockPool& pool) noexcept {
  std::array<BlockReturn, 32> returns;
  const std::size_t count = sender.poll_returns(returns);
  return std::all_of(returns.begin(), returns.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](const BlockReturn& block) { return pool.release(block.offset); });
}

// Waits for `packets` packets and delivers them. False: the other side is gone.
[[nodiscard]] inline bool take_packets(Receiver& receiver, PacketSink& sink, std::uint64_t packets) {
  constexpr std::uint64_t kPollBatch = 64;  // as a controller's
  for (std::size_t done = 0; packets > 0; packets -= done) {
    const auto most = static_cast<std::size_t>(std::min(packets, kPollBatch));
    if (!spin_until([&] { return (done = receiver.poll(sink, most)) > 0; })) return false;
  }
  return true;
}

}  // namespace woa::bench
