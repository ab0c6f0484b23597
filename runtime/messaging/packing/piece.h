// A piece of a message, and its description in packets.
//
// A message is a sequence of pieces of memory that need not lie together. The sender packs them one after another, the
// receiver unpacks them, and both name each piece's size and modes in the same order. The modes are those of Madeleine
// II (Aumage, Bouge, Denis, Mehaut, Mercier, Namyst, Prylli: "A Portable and Efficient Communication Library for
// High-Performance Cluster Computing", CLUSTER 2000). There a difference between the two sides is undefined; here a
// description travels with each piece, and a difference is an error (docs/adr/0016-packed-messages.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace woa::packing {

// When the sender's memory is read.
enum class SendMode : std::uint8_t {
  kSafer = 1,   // by pack(): the piece may be overwritten as soon as that returned kOk
  kLater = 2,   // by end(): what the piece holds then is sent
  kCheaper = 3  // when it costs least: the piece must stay as it is until end() returned kOk
};

// When the receiver may use what it unpacked.
enum class ReceiveMode : std::uint8_t {
  kExpress = 1,  // as soon as unpack() returned kOk, even before the rest of the message
  kCheaper = 2   // when end() returned kOk
};

struct Piece {
  std::uint64_t bytes = 0;
  SendMode send = SendMode::kCheaper;
  ReceiveMode receive = ReceiveMode::kCheaper;
  friend bool operator==(const Piece&, const Piece&) = default;
};

std::string_view to_string(SendMode mode) noexcept;
std::string_view to_string(ReceiveMode mode) noexcept;
std::string to_string(const Piece& piece);  // "12 bytes, safer, express"

// True if both modes exist.
bool valid(const Piece& piece) noexcept;

// The outcome of a call at either end. None is logged.
enum class Outcome : std::uint8_t {
  kOk,
  kBackPressured,  // no place, or nothing there yet: do other work, then make the same call again
  kClosed,         // the other end closed, or the link ended with an error: status() says which; nothing more will come
  kRefused         // the call breaks a rule and had no effect: status() says which; the message goes on without it
};

// Counts of one end so far.
struct Traffic {
  std::uint64_t messages = 0;       // ended
  std::uint64_t packets = 0;        // sent or received
  std::uint64_t payload_bytes = 0;  // of all pieces
  // Moved by the processor. Packer: into a block, which is the transfer itself if the consumer reads blocks in place.
  // Unpacker: from a block into the caller's memory; views are not counted. Neither counts a rendezvous.
  std::uint64_t copied_bytes = 0;
};

// --- how a message travels ------------------------------------------------------------------------------------------
//
// A message travels in packets, each with a block of the sender's region as payload; the last one may have none. A
// block holds fragments: a descriptor, then bytes of the piece, then padding to the next descriptor. A piece that fits
// into an empty block with its descriptor is in one fragment, so that it can be viewed; a larger one fills the blocks
// that it goes through. The bytes of a piece that is sent later come behind all others; a descriptor alone marks the
// place where it was packed. A piece that goes by rendezvous (runtime/transport/rendezvous.h) has descriptors alone,
// too, one for each transfer; if the receiver refuses one, the rest comes in fragments as usual.
struct Descriptor {
  std::uint64_t bytes = 0;  // of the piece
  // Bits 0 to 31: number of the piece in its message; 32 to 39: send mode; 40 to 47: receive mode; 48 to 63: place.
  std::uint64_t mark = 0;
  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};
inline constexpr std::size_t kDescriptorBytes = sizeof(Descriptor);
static_assert(kDescriptorBytes == 16);

// The position of a described piece's bytes.
enum class Place : std::uint8_t {
  kHere = 1,       // behind the descriptor
  kBehindAll = 2,  // in a fragment with the same number, behind all that was packed
  kDirect = 3      // the next kMostTransferBytes, or what is left, come by rendezvous; the fragment ends its packet
};

constexpr Descriptor describe(const Piece& piece, std::uint32_t number, Place place) noexcept {
  return {piece.bytes, number | static_cast<std::uint64_t>(piece.send) << 32 |
                           static_cast<std::uint64_t>(piece.receive) << 40 | static_cast<std::uint64_t>(place) << 48};
}
constexpr std::uint32_t number_of(const Descriptor& descriptor) noexcept {
  return static_cast<std::uint32_t>(descriptor.mark);
}
// May be any numbers, from a broken peer: compare them, or ask valid().
constexpr Piece piece_of(const Descriptor& descriptor) noexcept {
  return {descriptor.bytes, static_cast<SendMode>(descriptor.mark >> 32 & 0xff),
          static_cast<ReceiveMode>(descriptor.mark >> 40 & 0xff)};
}

// The next position from `at` on where a descriptor may begin.
constexpr std::size_t aligned(std::size_t at) noexcept {
  return (at + kDescriptorBytes - 1) / kDescriptorBytes * kDescriptorBytes;
}

// True if a piece is in one fragment.
constexpr bool whole(std::uint64_t piece_bytes, std::uint64_t block_bytes) noexcept {
  return piece_bytes <= block_bytes - kDescriptorBytes;
}

}  // namespace woa::packing
