// Properties over arbitrary packets that keep the rules.
#include <rapidcheck.h>

#include <cstring>

#include "runtime/packet/activation_packet.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

// Fields that no rule restricts, arbitrary.
ActivationPacket any_fields() {
  ActivationPacket packet;
  packet.port = *rc::gen::arbitrary<std::uint16_t>();
  packet.instance = *rc::gen::arbitrary<std::uint64_t>();
  packet.tag = *rc::gen::arbitrary<std::uint64_t>();
  packet.deadline = *rc::gen::arbitrary<std::uint64_t>();
  packet.stage = *rc::gen::arbitrary<std::uint32_t>();
  packet.origin = *rc::gen::arbitrary<std::uint32_t>();
  packet.sequence = *rc::gen::arbitrary<std::uint32_t>();
  return packet;
}

void fill_activate(ActivationPacket& packet) {
  packet.region = *rc::gen::arbitrary<std::uint16_t>();
  packet.offset = *rc::gen::arbitrary<std::uint32_t>();
  packet.flags = *rc::gen::element<std::uint8_t>(0, kInline, kAbsent, kPayloadCrc, kInline | kPayloadCrc);
  if (packet.flags == kAbsent) return;
  packet.payload_bytes = *rc::gen::inRange<std::uint64_t>(1, kMaxPayloadBytes + 1);
  if ((packet.flags & kInline) != 0) return;
  packet.device = static_cast<std::uint8_t>(
      *rc::gen::element(MemoryKind::kCpu, MemoryKind::kCuda, MemoryKind::kOpencl, MemoryKind::kExtDev));
  packet.ordinal = *rc::gen::arbitrary<std::uint8_t>();
}

ActivationPacket valid_packet() {
  ActivationPacket packet = any_fields();
  const auto kind = *rc::gen::element(PacketKind::kActivate, PacketKind::kPoison, PacketKind::kCount,
                                      PacketKind::kCredit, PacketKind::kRetire, PacketKind::kEnd);
  packet.kind = static_cast<std::uint8_t>(kind);
  if (kind == PacketKind::kActivate) fill_activate(packet);
  if (kind == PacketKind::kPoison) packet.status = *rc::gen::inRange<std::uint8_t>(1, 255);
  if (kind == PacketKind::kCount) packet.payload_bytes = *rc::gen::arbitrary<std::uint64_t>();
  return packet;
}

}  // namespace

TEST_CASE("a packet that keeps the rules passes, plain and sealed") {
  CHECK(rc::check("plain and sealed", [] {
    ActivationPacket packet = valid_packet();
    RC_ASSERT(check(packet) == Rejection::kNone);
    seal(packet);
    RC_ASSERT(check(packet) == Rejection::kNone);
  }));
}

TEST_CASE("flipping any bit of a sealed packet is rejected") {
  CHECK(rc::check("one bit flipped", [] {
    ActivationPacket packet = valid_packet();
    seal(packet);
    for (std::size_t bit = 0; bit < 8 * kPacketBytes; ++bit) {
      std::array<unsigned char, kPacketBytes> bytes;
      std::memcpy(bytes.data(), &packet, bytes.size());
      bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1U << bit % 8));
      ActivationPacket damaged;
      std::memcpy(&damaged, bytes.data(), bytes.size());
      RC_ASSERT(check(damaged) != Rejection::kNone);
    }
  }));
}

}  // namespace woa
