// A sender that breaks the rules: the link ends, with the place in the receiver's status; nothing outside the blocks is
// read, nothing but the caller's memory is written. In memory with a guarded page behind it, and between hosts.
#include <cstring>
#include <random>

#include "runtime/transport/rendezvous.h"
#include "tests/cts/packing/rig.h"
#include "tests/support/says.h"

namespace woa::cts {
namespace {

using packing::aligned;
using packing::describe;
using packing::Descriptor;
using packing::kDescriptorBytes;
using packing::kLastPort;
using packing::kMorePort;
using packing::Place;
using test::says;

constexpr LinkSpec kSpec{.blocks = 4, .block_bytes = 1024, .later_pieces = 4};

std::uint32_t header_room() { return usual_sides()->producer.header_room(); }

std::uint32_t offset_of(std::uint32_t block) {
  static const BlockLayout layout = need(BlockLayout::make(kSpec.blocks, kSpec.block_bytes, header_room()));
  return layout.offset_of(block);
}

ActivationPacket packet_of(std::uint64_t bytes, std::uint32_t block = 0, std::uint16_t port = kLastPort) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.port = port;
  packet.payload_bytes = bytes;
  packet.offset = offset_of(block);
  if (bytes != 0) packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  return packet;
}

constexpr Piece kPlain{8, SendMode::kSafer, ReceiveMode::kCheaper};

// A receiver, and a sender that writes what it likes.
struct Wild : Rig {
  Wild() : Rig(kSpec) {}

  void send(const ActivationPacket& packet) {
    REQUIRE(sender->reserve() == Push::kOk);
    sender->commit(packet);
  }
  // Writes a fragment into `block`; returns where the next one begins.
  std::size_t write(std::uint32_t block, std::size_t at, const Descriptor& descriptor, std::size_t bytes) {
    std::byte* to = blocks->bytes().data() + offset_of(block) * kOffsetUnitBytes + at;
    std::memcpy(to, &descriptor, sizeof descriptor);
    std::memset(to + sizeof descriptor, 7, bytes);
    return aligned(at + sizeof descriptor + bytes);
  }
  // Repeats a call until its packets are there: they may still be on their way.
  template <class Call>
  static Outcome when_there(Call&& call) {
    Outcome outcome = Outcome::kBackPressured;
    REQUIRE(in_time([&] { return (outcome = call()) != Outcome::kBackPressured; }));
    return outcome;
  }
  Outcome begin() {
    return when_there([&] { return unpacker->begin(); });
  }
  Outcome take(const Piece& piece) {
    memory.assign(piece.bytes, std::byte{0});
    return when_there([&] { return unpacker->unpack(memory, piece.send, piece.receive); });
  }
  Outcome view(const Piece& piece, std::span<const std::byte>& out) {
    return when_there([&] { return unpacker->view(piece.bytes, piece.send, piece.receive, out); });
  }
  Outcome end() {
    return when_there([&] { return unpacker->end(); });
  }
  // Requires that the last call found it out: it says `what`; nothing more is taken; the sender sees the channel
  // closed.
  void require_ended(Code code, const std::string& what) {
    INFO(unpacker->status().message());
    REQUIRE(says(unpacker->status(), code, what));
    REQUIRE(says(unpacker->status(), "the link is closed"));
    REQUIRE(unpacker->begin() != Outcome::kOk);
    REQUIRE(unpacker->end() != Outcome::kOk);
    REQUIRE(unpacker->unpack({}, kPlain.send, kPlain.receive) != Outcome::kOk);
    REQUIRE(in_time([&] { return is_closed(*sender); }));
  }

  std::unique_ptr<Unpacker> unpacker = need(open_unpacker());
  std::unique_ptr<Sender> sender = need(open_sender());
  std::unique_ptr<RendezvousSender> direct = open_direct();  // null: there is no rendezvous
  std::unique_ptr<Mapping> blocks = need(ends.packer.blocks->map(Access::kReadWrite));
  Bytes memory;

 private:
  [[nodiscard]] Result<std::unique_ptr<Sender>> open_sender() const {
    auto checked = need(packing::check_link(sides->producer, spec, ends.packer));
    return sides->producer.open_sender(checked.channel, ends.packer.channel, {}, checked.regions);
  }
  [[nodiscard]] std::unique_ptr<RendezvousSender> open_direct() const {
    if (ends.packer.rendezvous == nullptr) return nullptr;
    return need(sides->producer.wire()->rendezvous()->open_rendezvous_sender(ends.packer.rendezvous, {}));
  }
};

}  // namespace

TEST_CASE("a message written by hand arrives") {
  Wild wild;
  const std::size_t end = wild.write(1, 0, describe(kPlain, 0, Place::kHere), 8);
  wild.send(packet_of(end - 8, 1));
  REQUIRE(wild.begin() == Outcome::kOk);
  REQUIRE(wild.take(kPlain) == Outcome::kOk);
  REQUIRE(wild.end() == Outcome::kOk);
  REQUIRE(wild.memory == Bytes(8, std::byte{7}));
}

TEST_CASE("packets that are no part of a message") {
  const auto with = [](auto change) {
    ActivationPacket packet = packet_of(64);
    change(packet);
    return packet;
  };
  const auto kind = [](PacketKind number) {
    ActivationPacket packet;
    packet.kind = static_cast<std::uint8_t>(number);
    return packet;
  };
  for (const ActivationPacket& packet :
       {with([](auto& p) { p.port = 0; }), with([](auto& p) { p.port = 3; }), with([](auto& p) { p.region = 1; }),
        with([](auto& p) { p.device = static_cast<std::uint8_t>(MemoryKind::kCuda); }), kind(PacketKind::kRetire),
        kind(PacketKind::kEnd), kind(PacketKind::kCredit)}) {
    Wild wild;
    wild.send(packet);
    REQUIRE(wild.begin() == Outcome::kClosed);
    wild.require_ended(Code::kDataLoss, "no part of a message");
  }
}

TEST_CASE("packets of another message, without payload, or that are no block") {
  const auto refuse = [](const ActivationPacket& packet, const std::string& what) {
    Wild wild;
    wild.send(packet);
    REQUIRE(wild.begin() == Outcome::kClosed);
    wild.require_ended(Code::kDataLoss, what);
  };
  ActivationPacket packet = packet_of(64);
  packet.instance = 1;
  refuse(packet, "it is of message 1, expected 0");
  refuse(packet_of(0, 0, kMorePort), "it is empty, and not the message's last");
  refuse(packet_of(0, 1), "it is empty, and names a block");
  const auto at = [](std::uint32_t offset) { return "bytes at " + std::to_string(offset * kOffsetUnitBytes) + " "; };
  refuse(packet_of(kSpec.block_bytes + 1), "1025 " + at(offset_of(0)) + "are no block; there are 4 of 1024 bytes");
  refuse(packet_of(kMaxPayloadBytes), "are no block");
  packet = packet_of(64);
  for (const std::uint32_t offset : {offset_of(kSpec.blocks), offset_of(0) + 1, offset_of(1) - 1}) {
    packet.offset = offset;
    refuse(packet, "64 " + at(offset) + "are no block");
  }
  packet.offset = ~std::uint32_t{0};
  refuse(packet, "are no block");
  if (header_room() == 0) return;
  packet.offset = 0;
  refuse(packet, "64 " + at(0) + "are no block");
}

TEST_CASE("a block that is viewed or being read comes again") {
  Wild wild;
  const Piece small{8, SendMode::kSafer, ReceiveMode::kExpress};
  const std::size_t end = wild.write(0, 0, describe(small, 0, Place::kHere), 8);
  wild.send(packet_of(end, 0, kMorePort));
  wild.send(packet_of(end, 0, kMorePort));
  std::span<const std::byte> view;
  REQUIRE(wild.begin() == Outcome::kOk);
  REQUIRE(wild.view(small, view) == Outcome::kOk);
  REQUIRE(wild.take(small) == Outcome::kClosed);
  wild.require_ended(Code::kDataLoss, "block 0 was not given back");
  REQUIRE(view.size() == 8);  // still mapped
  REQUIRE(view.back() == std::byte{7});
}

TEST_CASE("a packet that ends within a descriptor") {
  for (const std::uint64_t bytes : {1, 8, 15}) {
    Wild wild;
    wild.write(0, 0, describe(kPlain, 0, Place::kHere), 8);
    wild.send(packet_of(bytes));
    REQUIRE(wild.begin() == Outcome::kClosed);
    wild.require_ended(Code::kDataLoss, "ends within a descriptor");
  }
  Wild wild;
  const std::size_t end = wild.write(0, 0, describe(kPlain, 0, Place::kHere), 8);
  wild.send(packet_of(end + 15));
  REQUIRE(wild.begin() == Outcome::kOk);
  REQUIRE(wild.take(kPlain) == Outcome::kOk);
  REQUIRE(wild.end() == Outcome::kClosed);
  wild.require_ended(Code::kDataLoss, "ends within a descriptor");
}

TEST_CASE("a message that ends within a piece") {
  for (const std::size_t there : {std::size_t{1}, std::size_t{7}, std::size_t{1008}}) {
    Wild wild;
    const Piece piece{there == 1008 ? 5000U : 8U, SendMode::kCheaper, ReceiveMode::kExpress};
    wild.write(0, 0, describe(piece, 0, Place::kHere), there);
    wild.send(packet_of(kDescriptorBytes + there));
    REQUIRE(wild.begin() == Outcome::kOk);
    REQUIRE(wild.take(piece) == Outcome::kClosed);
    wild.require_ended(Code::kDataLoss, "it ends after " + std::to_string(there) + " bytes of piece 0");
  }
}

TEST_CASE("a channel that ends within a message") {
  Wild wild;
  const std::size_t end = wild.write(0, 0, describe(kPlain, 0, Place::kHere), 8);
  wild.send(packet_of(end, 0, kMorePort));
  wild.sender.reset();
  REQUIRE(wild.begin() == Outcome::kOk);
  REQUIRE(wild.take(kPlain) == Outcome::kOk);
  REQUIRE(wild.take(kPlain) == Outcome::kClosed);
  REQUIRE(says(wild.unpacker->status(), Code::kPeerLost, "within message 0, before piece 1"));
}

TEST_CASE("descriptors that describe no piece") {
  const Descriptor good = describe(kPlain, 0, Place::kHere);
  for (const int shift : {32, 40, 48, 56}) {
    for (const std::uint64_t value : {0, 9, 255}) {
      if (shift == 56 && value == 0) continue;  // reserved: it is 0
      Descriptor bad = good;
      bad.mark = (bad.mark & ~(std::uint64_t{255} << shift)) | value << shift;
      Wild wild;
      wild.write(0, 0, bad, 8);
      wild.send(packet_of(24));
      REQUIRE(wild.begin() == Outcome::kOk);
      REQUIRE(wild.take(kPlain) == Outcome::kClosed);
      wild.require_ended(Code::kDataLoss, "describes no piece");
    }
  }
}

TEST_CASE("a length that lies is a difference, and nothing of it is believed") {
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{9}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    Wild wild;
    wild.write(0, 0, describe({bytes, kPlain.send, kPlain.receive}, 0, Place::kHere), 8);
    wild.send(packet_of(24));
    REQUIRE(wild.begin() == Outcome::kOk);
    REQUIRE(wild.take(kPlain) == Outcome::kClosed);
    REQUIRE(wild.memory == Bytes(8));
    wild.require_ended(Code::kInvalid, "both sides must name the same pieces");
  }
}

TEST_CASE("bytes that are not where they belong") {
  Wild here;  // of a later piece, at once
  const Piece later{8, SendMode::kLater, ReceiveMode::kCheaper};
  here.write(0, 0, describe(later, 0, Place::kHere), 8);
  here.send(packet_of(24));
  REQUIRE(here.begin() == Outcome::kOk);
  REQUIRE(here.take(later) == Outcome::kClosed);
  here.require_ended(Code::kDataLoss, "are not where they belong");
  Wild behind;  // of one that is not later, behind all
  behind.write(0, 0, describe(kPlain, 0, Place::kBehindAll), 8);
  behind.send(packet_of(24));
  REQUIRE(behind.begin() == Outcome::kOk);
  REQUIRE(behind.take(kPlain) == Outcome::kClosed);
  behind.require_ended(Code::kDataLoss, "are not where they belong");
  Wild direct;  // by rendezvous, of one that is viewed
  std::span<const std::byte> view;
  direct.write(0, 0, describe(kPlain, 0, Place::kDirect), 0);
  direct.send(packet_of(16));
  REQUIRE(direct.begin() == Outcome::kOk);
  REQUIRE(direct.view(kPlain, view) == Outcome::kClosed);
  direct.require_ended(Code::kDataLoss, "are not where they belong");
}

TEST_CASE("a piece is to come by rendezvous where there is none, or never comes") {
  Wild wild;
  wild.write(0, 0, describe(kPlain, 0, Place::kDirect), 0);
  wild.send(packet_of(16));
  REQUIRE(wild.begin() == Outcome::kOk);
  if (wild.direct == nullptr) {
    REQUIRE(wild.take(kPlain) == Outcome::kClosed);
    wild.require_ended(Code::kDataLoss, "are not where they belong");
  } else {
    Bytes memory(kPlain.bytes);
    REQUIRE(wild.unpacker->unpack(memory, kPlain.send, kPlain.receive) == Outcome::kBackPressured);
    wild.direct.reset();
    REQUIRE(Wild::when_there([&] { return wild.unpacker->unpack(memory, kPlain.send, kPlain.receive); }) ==
            Outcome::kClosed);
    REQUIRE(says(wild.unpacker->status(), Code::kPeerLost, "the producer closed when 0 of 8 bytes had landed"));
  }
}

TEST_CASE("the bytes of a later piece never come") {
  Wild wild;
  const Piece later{8, SendMode::kLater, ReceiveMode::kCheaper};
  wild.write(0, 0, describe(later, 0, Place::kBehindAll), 0);
  wild.send(packet_of(16));
  REQUIRE(wild.begin() == Outcome::kOk);
  REQUIRE(wild.take(later) == Outcome::kOk);
  REQUIRE(wild.end() == Outcome::kClosed);
  wild.require_ended(Code::kInvalid, "it ends where piece 0 of 8 bytes, later, cheaper was asked for");
}

TEST_CASE("parts of a large piece that are empty, of another piece, or too small to be viewed") {
  const Piece large{3000, SendMode::kSafer, ReceiveMode::kCheaper};
  Wild empty;
  empty.write(0, 0, describe(large, 0, Place::kHere), 0);
  empty.send(packet_of(16, 0, kMorePort));
  REQUIRE(empty.begin() == Outcome::kOk);
  REQUIRE(empty.take(large) == Outcome::kClosed);
  empty.require_ended(Code::kDataLoss, "a part of piece 0 of 3000 bytes, safer, cheaper is empty");
  Wild other;
  other.write(0, 0, describe(large, 0, Place::kHere), 1008);
  other.write(1, 0, describe(kPlain, 1, Place::kHere), 1008);
  other.send(packet_of(1024, 0, kMorePort));
  other.send(packet_of(1024, 1, kMorePort));
  REQUIRE(other.begin() == Outcome::kOk);
  REQUIRE(other.take(large) == Outcome::kClosed);
  other.require_ended(Code::kDataLoss, "came within piece 0 of 3000 bytes");
  Wild cut;
  cut.write(0, 0, describe(kPlain, 0, Place::kHere), 4);
  cut.send(packet_of(20, 0, kMorePort));
  std::span<const std::byte> view;
  REQUIRE(cut.begin() == Outcome::kOk);
  REQUIRE(cut.view(kPlain, view) == Outcome::kClosed);
  REQUIRE(view.empty());
  cut.require_ended(Code::kDataLoss, "is in several parts, though a block holds it");
}

// Any packets over any blocks: the receiver takes what it asked for or ends the link, and its reads stay before the
// page that is guarded (a sanitizer looks at the rest). Memory around the caller's stays as it is.
TEST_CASE("random packets and blocks") {
  const std::uint64_t seeds = header_room() == 0 ? 4000 : 400;  // each takes a wire some time
  std::uint64_t taken = 0, ended = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Wild wild;
    const auto random_piece = [&] {
      const auto send = static_cast<SendMode>(1 + random() % 3);
      const auto receive = static_cast<ReceiveMode>(1 + random() % 2);
      return Piece{random() % 4 == 0 ? random() % 2500 : random() % 4 * 8, send, receive};
    };
    std::vector<Piece> pieces;
    for (int k = 0; k < 6; ++k) pieces.push_back(random_piece());
    for (std::byte& byte : wild.blocks->bytes()) byte = static_cast<std::byte>(random());
    std::uint32_t number = 0;
    for (std::uint32_t block = 0; block < kSpec.blocks; ++block) {
      std::size_t at = 0;
      for (; at + 64 < kSpec.block_bytes && random() % 8 != 0 && number < pieces.size(); ++number) {
        Piece piece = pieces[number];
        if (random() % 16 == 0) piece.bytes += random() % 3;
        Descriptor descriptor =
            describe(piece, number, piece.send == SendMode::kLater ? Place::kBehindAll : Place::kHere);
        if (random() % 32 == 0) descriptor.mark ^= std::uint64_t{1} << random() % 64;
        const std::size_t room = kSpec.block_bytes - at - kDescriptorBytes;
        at = wild.write(block, at, descriptor,
                        std::min<std::size_t>(room, piece.send == SendMode::kLater ? 0 : piece.bytes));
        at = std::min<std::size_t>(at, kSpec.block_bytes);
      }
      ActivationPacket packet = packet_of(random() % 8 == 0 ? random() % 1100 : at, block, random() % 4 == 0 ? 2 : 1);
      if (random() % 32 == 0) packet.offset = static_cast<std::uint32_t>(random() % 80);
      if (packet.payload_bytes == 0) packet.device = 0;
      wild.send(packet);
    }
    wild.sender.reset();
    wild.direct.reset();
    Bytes memory(3000, std::byte{0x5a});
    bool whole = true;
    std::uint32_t asked = 0;
    Outcome outcome = wild.begin();
    for (std::span<const std::byte> view; outcome == Outcome::kOk && asked < pieces.size(); ++asked) {
      const Piece& piece = pieces[asked];
      if (random() % 3 == 0) {
        outcome = wild.view(piece, view);
      } else {
        outcome = Wild::when_there([&] {
          return wild.unpacker->unpack(std::span(memory).subspan(200, piece.bytes), piece.send, piece.receive);
        });
      }
      if (outcome == Outcome::kOk) ++taken;
    }
    if (outcome == Outcome::kOk) outcome = wild.end();
    REQUIRE((outcome == Outcome::kOk) == wild.unpacker->status().ok());
    ended += outcome == Outcome::kClosed ? 1 : 0;
    for (std::size_t k = 0; k < 200; ++k) whole &= memory[k] == std::byte{0x5a};
    for (std::size_t k = 2700; k < memory.size(); ++k) whole &= memory[k] == std::byte{0x5a};
    REQUIRE(whole);
  }
  REQUIRE(taken > seeds / 2);
  REQUIRE(ended > seeds / 4);
}

}  // namespace woa::cts
