#include "bench/micro/raw_handover.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/measure/memory.h"
#include "runtime/measure/pinned_group.h"
#include "runtime/measure/spin.h"

namespace woa::bench {

using namespace measure;
namespace {

constexpr std::uint64_t kWarmUpPayloads = 4;  // until both have taken their pages

struct Mailbox {
  alignas(64) std::atomic<std::uint64_t> written{0};  // payloads
  std::uint64_t written_ns = 0;                       // when the last one was
  alignas(64) std::atomic<std::uint64_t> seen{0};
  std::uint64_t median_ns = 0;  // in the end
};

bool consume(Mailbox& mailbox, std::uint64_t payloads) {
  std::vector<std::uint64_t> between(kWarmUpPayloads + payloads);
  for (std::uint64_t k = 0; k < between.size(); ++k) {
    if (!spin_until([&] { return mailbox.written.load(std::memory_order_acquire) == k + 1; })) return false;
    between[k] = now_ns() - mailbox.written_ns;
    if (k + 1 == between.size()) {
      const auto middle = between.begin() + static_cast<std::ptrdiff_t>(kWarmUpPayloads + payloads / 2);
      std::nth_element(between.begin() + kWarmUpPayloads, middle, between.end());
      mailbox.median_ns = *middle;
    }
    mailbox.seen.store(k + 1, std::memory_order_release);
  }
  return true;
}

bool produce(Mailbox& mailbox, std::span<std::byte> payload, std::uint64_t payloads) {
  const std::vector<std::byte> source(payload.size(), std::byte{1});
  for (std::uint64_t k = 0; k < kWarmUpPayloads + payloads; ++k) {
    std::memcpy(payload.data(), source.data(), source.size());
    asm volatile("" ::"r"(payload.data()) : "memory");  // written before the clock is read
    mailbox.written_ns = now_ns();
    mailbox.written.store(k + 1, std::memory_order_release);
    if (!spin_until([&] { return mailbox.seen.load(std::memory_order_acquire) == k + 1; })) return false;
  }
  return true;
}

}  // namespace

Result<double> raw_handover_ns(std::uint64_t bytes, std::uint64_t payloads) {
  WOA_ASSIGN_OR_RETURN(auto memory, Memory::map(sizeof(Mailbox), Memory::Sharing::kWithChildren));
  WOA_ASSIGN_OR_RETURN(auto payload, Memory::map(bytes, Memory::Sharing::kWithChildren));
  auto& mailbox = *new (memory.bytes().data()) Mailbox;
  WOA_ASSIGN_OR_RETURN(auto pair, PinnedPair::start([&] { return consume(mailbox, payloads) ? 0 : 1; }));
  if (!produce(mailbox, payload.bytes(), payloads) || pair.wait() != 0)
    return {Code::kPeerLost, "the other process ended early"};
  return static_cast<double>(mailbox.median_ns);
}

}  // namespace woa::bench
