// What goes wrong on a channel, on purpose: the values that the fault transport is told by. For tests and experiments.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace woa {

enum class FaultKind : std::uint8_t {
  kDrop,       // it never arrives
  kDelay,      // it, and all behind it, arrives `amount` polls later
  kReorder,    // the next `amount` overtake it
  kDuplicate,  // it arrives, and again behind the next `amount`
  kCorrupt,    // it arrives with `bit` flipped
  kFillUp,     // `amount` reservations in a row find the ring full
  kKill        // SIGKILL to the process of the end that reaches `step`
};

// What is hit: packets on their way to the consumer, or blocks on their way back.
enum class FaultTarget : std::uint8_t { kPackets, kReturns };

// A moment between two steps of the protocol. Each is reached by one end, in its own process.
enum class ProtocolStep : std::uint8_t {
  // of the producer
  kReserved,           // a place in the ring is taken, the payload may be half written
  kCommitBegun,        // the payload is there, nothing of the packet is
  kInlineWritten,      // its inline payload is there, nothing of the header is
  kHeaderHalfWritten,  // the words before the one that publishes are there
  kHeaderWritten,      // all words but the one that publishes are there
  kPublished,          // published; nobody was woken
  kConsumerWoken,      // and the consumer was
  kReturnTaken,        // a block came back, the producer's books do not know it yet
  kProducerCloses,     // nothing was said of the end
  kProducerClosed,     // the end was marked and the consumer woken
  // of the consumer
  kPacketRead,         // a packet was read and checked; its controller has not seen it
  kPacketDelivered,    // its controller has; the producer does not know that it was read
  kPacketsCounted,     // the producer was told how many were read
  kReturnBegun,        // a block is to be given back, nothing of that was written
  kReturnHalfWritten,  // all of the return but the word that publishes it
  kReturnPublished,    // published; nobody was woken
  kProducerWoken,      // and the producer was
  kConsumerCloses,     // nothing was said of the end
  kConsumerClosed,     // the end was marked and the producer woken
  // of neither end
  kConnects,  // a replica is to be connected to another's (Wire::connect)
  // of a producer whose device publishes
  kPrepared  // a packet is prepared; its publication is the device's
};
inline constexpr std::array kProducerSteps{ProtocolStep::kReserved,       ProtocolStep::kCommitBegun,
                                           ProtocolStep::kInlineWritten,  ProtocolStep::kHeaderHalfWritten,
                                           ProtocolStep::kHeaderWritten,  ProtocolStep::kPublished,
                                           ProtocolStep::kConsumerWoken,  ProtocolStep::kReturnTaken,
                                           ProtocolStep::kProducerCloses, ProtocolStep::kProducerClosed};
// A producer whose device publishes may meet these: its host publishes some packets itself.
inline constexpr std::array kPreparingSteps{
    ProtocolStep::kReserved,          ProtocolStep::kCommitBegun,   ProtocolStep::kInlineWritten,
    ProtocolStep::kHeaderHalfWritten, ProtocolStep::kHeaderWritten, ProtocolStep::kPrepared,
    ProtocolStep::kPublished,         ProtocolStep::kConsumerWoken, ProtocolStep::kReturnTaken,
    ProtocolStep::kProducerCloses,    ProtocolStep::kProducerClosed};
inline constexpr std::array kConsumerSteps{
    ProtocolStep::kPacketRead,    ProtocolStep::kPacketDelivered,   ProtocolStep::kPacketsCounted,
    ProtocolStep::kReturnBegun,   ProtocolStep::kReturnHalfWritten, ProtocolStep::kReturnPublished,
    ProtocolStep::kProducerWoken, ProtocolStep::kConsumerCloses,    ProtocolStep::kConsumerClosed};

// Where what arrives is put.
enum class Landing : std::uint8_t {
  kByNumber,  // as one-sided writes: where its sender chose; a lost one leaves a gap, a repeated one overwrites
  kByArrival  // as messages: behind the one before; a lost or repeated one shifts all that follow
};

inline constexpr std::uint32_t kEveryChannel = ~std::uint32_t{0};
inline constexpr std::uint32_t kAnyBit = ~std::uint32_t{0};

// Deterministic: the same plan and the same traffic meet the same faults.
struct FaultPlan {
  FaultKind kind = FaultKind::kDrop;
  FaultTarget target = FaultTarget::kPackets;  // of drop, delay, reorder, duplicate and corrupt
  // Whose: packets are hit at the receivers that the transport opens, all else at its senders, each counted from 0 in
  // the order of opening. A kill: at the end that has `step`.
  std::uint32_t channel = kEveryChannel;
  // From the `first` packet, return, reservation or time at the step on (from 1), each is hit with probability
  // `chance`, at most `count` of them. A kill comes the first time.
  std::uint64_t first = 1, count = 1;
  double chance = 1.0;
  std::uint64_t seed = 1;
  std::uint32_t amount = 1;  // see FaultKind
  // Packets: 0 to 511 in the header, from 512 on in the payload,
  // inline or in a replica's block. Returns: 0 to 63 edge and offset, 64 to 95 the
  // turn, then region and instance. kAnyBit: one of the header or of the return, by the seed.
  std::uint32_t bit = kAnyBit;
  ProtocolStep step = ProtocolStep::kPublished;
};

std::string_view to_string(FaultKind kind) noexcept;
std::string_view to_string(ProtocolStep step) noexcept;
// One line that has everything that counts for the plan's kind.
std::string to_string(const FaultPlan& plan);

}  // namespace woa
