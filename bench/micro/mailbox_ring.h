// The raw mailbox: a ring of slots in shared memory that a producer copies into and a consumer polls; credits come
// back, nothing else. It is the limit of every stream of messages between two processes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace woa::bench {

using MailboxWord = std::atomic<std::uint64_t>;

// A line with the credits, then flag and payload of every slot. Each process has a copy, with its own position in the
// same memory.
class MailboxRing {
 public:
  // Where a slot's flag is: in front of the payload, or its last word, as a packet header has it.
  enum class Flag : std::uint8_t { kFirst, kLast };
  // Bytes of payload that share a line with the flag.
  static constexpr std::size_t kLineBytes = 64 - sizeof(MailboxWord);

  static std::size_t bytes(std::uint32_t slots, std::size_t payload_bytes) {
    return kLine + slots * stride(payload_bytes);
  }
  // Flag::kLast: payload_bytes is at most kLineBytes.
  MailboxRing(std::span<std::byte> memory, std::uint32_t slots, std::size_t payload_bytes, Flag flag = Flag::kFirst)
      : credits_(new (memory.data()) MailboxWord(0)),
        slots_(slots),
        payload_bytes_(payload_bytes),
        stride_(stride(payload_bytes)),
        flag_offset_(flag == Flag::kFirst ? 0 : kLineBytes),
        offset_(flag == Flag::kFirst ? offset(payload_bytes) : 0),
        first_(memory.data() + kLine),
        slot_(first_) {
    for (std::uint32_t k = 0; k < slots; ++k) new (first_ + k * stride_ + flag_offset_) MailboxWord(0);
  }

  // The slot of the next message: its flag is the number of the message in it, from 1.
  [[nodiscard]] MailboxWord& flag() const noexcept {
    return *std::launder(reinterpret_cast<MailboxWord*>(slot_ + flag_offset_));
  }
  [[nodiscard]] std::span<std::byte> payload() const noexcept { return {slot_ + offset_, payload_bytes_}; }
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  void advance() noexcept {
    ++position_;
    slot_ = ++index_ == slots_ ? first_ : slot_ + stride_;
    if (index_ == slots_) index_ = 0;
  }
  [[nodiscard]] std::uint32_t slots() const noexcept { return slots_; }
  [[nodiscard]] MailboxWord& credits() const noexcept { return *credits_; }

 private:
  static constexpr std::size_t kLine = 64;

  static std::size_t offset(std::size_t payload_bytes) {
    return sizeof(MailboxWord) + payload_bytes <= kLine ? sizeof(MailboxWord) : kLine;
  }
  static std::size_t stride(std::size_t payload_bytes) {
    return (offset(payload_bytes) + payload_bytes + kLine - 1) / kLine * kLine;
  }

  MailboxWord* credits_;  // messages that the consumer has done with
  std::uint32_t slots_, index_ = 0;
  std::size_t payload_bytes_, stride_, flag_offset_, offset_;
  std::byte *first_, *slot_;
  std::uint64_t position_ = 0;
};

}  // namespace woa::bench
