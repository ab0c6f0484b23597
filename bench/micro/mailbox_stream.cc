#include "bench/micro/mailbox_stream.h"

#include <array>
#include <cstring>

#include "bench/micro/mailbox_ring.h"
#include "bench/micro/stream.h"
#include "runtime/measure/memory.h"
#include "runtime/measure/spin.h"

namespace woa::bench {

using namespace measure;
namespace {

class Producer {
 public:
  Producer(MailboxRing ring, std::span<const std::byte> payload) : ring_(ring), payload_(payload) {}

  [[nodiscard]] bool produce(std::uint64_t messages) {
    for (std::uint64_t k = 0; k < messages; ++k) {
      if (!wait_for(ring_.slots() - 1)) return false;
      copy_payload();
      ring_.flag().store(ring_.position() + 1, std::memory_order_release);
      ring_.advance();
    }
    return wait_for(0);
  }

 private:
  // Waits until at most `in_flight` messages are under way. Reads the consumer's line only if it must.
  [[nodiscard]] bool wait_for(std::uint64_t in_flight) {
    if (ring_.position() - credits_ <= in_flight) return true;
    return spin_until([&] {
      credits_ = ring_.credits().load(std::memory_order_acquire);
      return ring_.position() - credits_ <= in_flight;
    });
  }

  void copy_payload() noexcept {
    std::byte* to = ring_.payload().data();
    if (payload_.size() == sizeof(MailboxWord)) {  // stores; a call would cost more than the message
      std::memcpy(to, payload_.data(), sizeof(MailboxWord));
    } else if (payload_.size() == MailboxRing::kLineBytes) {
      std::memcpy(to, payload_.data(), MailboxRing::kLineBytes);
    } else {
      std::memcpy(to, payload_.data(), payload_.size());
    }
  }

  MailboxRing ring_;
  std::span<const std::byte> payload_;
  std::uint64_t credits_ = 0;
};

void touch_words(std::span<const std::byte> payload) noexcept {
  const auto* words = reinterpret_cast<const volatile std::uint64_t*>(payload.data());
  for (std::size_t k = 0; k < MailboxRing::kLineBytes / sizeof *words; ++k) (void)words[k];
}

template <auto kTouch>
class Consumer {
 public:
  Consumer(MailboxRing ring, std::uint32_t credit_every) : ring_(ring), credit_every_(credit_every) {}

  [[nodiscard]] bool consume(std::uint64_t messages) {
    for (std::uint64_t k = 0; k < messages; ++k) {
      const std::uint64_t next = ring_.position() + 1;
      if (!spin_until([&] { return ring_.flag().load(std::memory_order_acquire) == next; })) return false;
      kTouch(ring_.payload());
      ring_.advance();
      if (++owed_ == credit_every_) give_credit();
    }
    give_credit();
    return true;
  }

 private:
  void give_credit() {
    owed_ = 0;
    ring_.credits().store(ring_.position(), std::memory_order_release);
  }

  MailboxRing ring_;
  std::uint32_t credit_every_, owed_ = 0;
};

template <auto kTouch>
Result<double> ring_stream_ns(const MailboxSpec& spec, MailboxRing::Flag flag, std::span<const std::byte> payload,
                              std::uint64_t messages) {
  WOA_ASSIGN_OR_RETURN(auto memory,
                       Memory::map(MailboxRing::bytes(spec.slots, payload.size()), Memory::Sharing::kWithChildren));
  const MailboxRing ring(memory.bytes(), spec.slots, payload.size(), flag);
  Producer producer(ring, payload);
  Consumer<kTouch> consumer(ring, spec.credit_every);
  return stream_ns(stream_of(producer, consumer), spec.slots, messages);
}

}  // namespace

Result<double> mailbox_stream_ns(const MailboxSpec& spec, std::span<const std::byte> payload, std::uint64_t messages) {
  return ring_stream_ns<touch_ends>(spec, MailboxRing::Flag::kFirst, payload, messages);
}

Result<double> line_stream_ns(const MailboxSpec& spec, std::uint64_t messages) {
  constexpr std::array<std::byte, MailboxRing::kLineBytes> kLine{};
  return ring_stream_ns<touch_words>(spec, MailboxRing::Flag::kLast, kLine, messages);
}

}  // namespace woa::bench
