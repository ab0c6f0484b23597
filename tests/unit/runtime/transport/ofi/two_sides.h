// Two ofi transports of one process, and a channel with a region between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/memory/block_pool.h"
#include "runtime/transport/ofi/ofi_transport.h"
#include "tests/support/catch.h"
#include "tests/support/inbox.h"
#include "tests/support/need.h"
#include "tests/support/require.h"

namespace woa::test {

inline std::unique_ptr<OfiTransport> ofi_or_skip(const OfiOptions& options = {}) {
  auto transport = make_ofi_transport(options);
  if (transport.status().code() == Code::kUnavailable) skip("ofi", transport.status().message());
  return need(std::move(transport));
}

// Waits for `happened`, ten times as long as the loss of a peer may take.
template <class Happened>
bool within_patience(Happened&& happened) {
  const std::uint64_t begin = now_ns();
  while (!happened()) {
    if (now_ns() - begin > 20'000'000'000) return false;
  }
  return true;
}

// A replica on each of two sides, connected.
struct Pair {
  std::shared_ptr<Replica> first, second;
};
inline Pair connected(Wire& first, Wire& second, std::size_t bytes) {
  Pair pair{need(first.allocate("test", bytes)), need(second.allocate("test", bytes))};
  REQUIRE(first.connect(pair.first, pair.second->description(), {}).ok());
  REQUIRE(second.connect(pair.second, pair.first->description(), {}).ok());
  return pair;
}

// A token that names a block.
inline ActivationPacket token(std::uint64_t instance, std::uint32_t offset, std::uint64_t payload_bytes) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.instance = instance;
  packet.offset = offset;
  packet.payload_bytes = payload_bytes;
  packet.device = static_cast<std::uint8_t>(payload_bytes == 0 ? MemoryKind::kNone : MemoryKind::kCpu);
  return packet;
}

}  // namespace woa::test
