#include "bench/micro/mailbox_stream.h"

#include <atomic>
#include <cstring>
#include <new>

#include "bench/micro/memory.h"
#include "bench/micro/spin.h"
#include "bench/micro/stream.h"

namespace woa::bench {
namespace {

constexpr std::size_t kLine = 64;

using Word = std::atomic<std::uint64_t>;

// A line with the credits, then flag and payload of every slot. Each process has a copy, with its own position in the
// same memory.
class Ring {
 public:
  static std::size_t bytes(std::uint32_t slots, std::size_t payload_bytes) {
    return kLine + slots * stride(payload_bytes);
  }
  Ring(std::span<std::byte> memory, std::uint32_t slots, std::size_t payload_bytes)
      : credits_(new (memory.data()) Word(0)),
        slots_(slots),
        payload_bytes_(payload_bytes),
        stride_(stride(payload_bytes)),
        offset_(offset(payload_bytes)),
        first_(memory.data() + kLine),
        slot_(first_) {
    for (std::uint32_t k = 0; k < slots; ++k) new (first_ + k * stride_) Word(0);
  }

  // The slot of the next message: its flag is the number of the message in it, from 1.
  [[nodiscard]] Word& flag() const noexcept { return *std::launder(reinterpret_cast<Word*>(slot_)); }
  [[nodiscard]] std::span<std::byte> payload() const noexcept { return {slot_ + offset_, payload_bytes_}; }
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  void advance() noexcept {
    ++position_;
    slot_ = ++index_ == slots_ ? first_ : slot_ + stride_;
    if (index_ == slots_) index_ = 0;
  }
  [[nodiscard]] std::uint32_t slots() const noexcept { return slots_; }
  [[nodiscard]] Word& credits() const noexcept { return *credits_; }

 private:
  static std::size_t offset(std::size_t payload_bytes) {
    return sizeof(Word) + payload_bytes <= kLine ? sizeof(Word) : kLine;
  }
  static std::size_t stride(std::size_t payload_bytes) {
    return (offset(payload_bytes) + payload_bytes + kLine - 1) / kLine * kLine;
  }

  Word* credits_;  // messages that the consumer has done with
  std::uint32_t slots_, index_ = 0;
  std::size_t payload_bytes_, stride_, offset_;
  std::byte *first_, *slot_;
  std::uint64_t position_ = 0;
};

class Producer {
 public:
  Producer(Ring ring, std::span<const std::byte> payload) : ring_(ring), payload_(payload) {}

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
  // Until no more than `in_flight` messages are under way. Looks at the consumer's line only if it must.
  [[nodiscard]] bool wait_for(std::uint64_t in_flight) {
    if (ring_.position() - credits_ <= in_flight) return true;
    return spin_until([&] {
      credits_ = ring_.credits().load(std::memory_order_acquire);
      return ring_.position() - credits_ <= in_flight;
    });
  }

  void copy_payload() noexcept {
    std::byte* to = ring_.payload().data();
    if (payload_.size() == sizeof(Word)) {
      std::memcpy(to, payload_.data(), sizeof(Word));  // a store; a call would cost more than the message
    } else {
      std::memcpy(to, payload_.data(), payload_.size());
    }
  }

  Ring ring_;
  std::span<const std::byte> payload_;
  std::uint64_t credits_ = 0;
};

class Consumer {
 public:
  Consumer(Ring ring, std::uint32_t credit_every) : ring_(ring), credit_every_(credit_every) {}

  [[nodiscard]] bool consume(std::uint64_t messages) {
    for (std::uint64_t k = 0; k < messages; ++k) {
      const std::uint64_t next = ring_.position() + 1;
      if (!spin_until([&] { return ring_.flag().load(std::memory_order_acquire) == next; })) return false;
      touch_ends(ring_.payload());
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

  Ring ring_;
  std::uint32_t credit_every_, owed_ = 0;
};

}  // namespace

Result<double> mailbox_stream_ns(const MailboxSpec& spec, std::span<const std::byte> payload, std::uint64_t messages) {
  auto memory = Memory::map(Ring::bytes(spec.slots, payload.size()), Memory::Sharing::kWithChildren);
  if (!memory.ok()) return memory.status();
  const Ring ring(memory->bytes(), spec.slots, payload.size());
  Producer producer(ring, payload);
  Consumer consumer(ring, spec.credit_every);
  return stream_ns(stream_of(producer, consumer), spec.slots, messages);
}

}  // namespace woa::bench
