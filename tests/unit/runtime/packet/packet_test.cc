#include <cstring>

#include "runtime/base/status.h"
#include "runtime/packet/crc32c.h"
#include "tests/support/catch.h"
#include "tests/unit/runtime/packet/vectors.h"

namespace woa {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

ActivationPacket packet_of(PacketKind kind) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(kind);
  if (kind == PacketKind::kPoison) packet.status = static_cast<std::uint8_t>(Code::kKernelFailed);
  return packet;
}

}  // namespace

TEST_CASE("check answers every golden vector as expected") {
  const auto vectors = test::packet_vectors();
  std::vector<std::uint32_t> answers;
  for (const auto& vector : vectors) answers.push_back(static_cast<std::uint32_t>(check(vector.packet)));
  CHECK(test::disagreements(vectors, answers).empty());
}

TEST_CASE("a fresh packet lacks only its kind") {
  const ActivationPacket packet;
  CHECK(check(packet) == Rejection::kKind);
  CHECK(check(packet_of(PacketKind::kActivate)) == Rejection::kNone);
}

TEST_CASE("a sealed packet of every kind passes, and shows damage") {
  for (const PacketKind kind : {PacketKind::kActivate, PacketKind::kPoison, PacketKind::kCount, PacketKind::kCredit,
                                PacketKind::kRetire, PacketKind::kEnd}) {
    ActivationPacket packet = packet_of(kind);
    seal(packet);
    CHECK(check(packet) == Rejection::kNone);
    CHECK(packet.crc32c == header_crc(packet));
    packet.instance ^= 1;
    CHECK(check(packet) == Rejection::kHeaderCrc);
    seal(packet);
    CHECK(check(packet) == Rejection::kNone);
  }
}

TEST_CASE("CRC-32C has its published value, by instruction and by table") {
  CHECK(crc32c(bytes_of("123456789")) == 0xe3069283);
  CHECK(crc32c_portable(bytes_of("123456789")) == 0xe3069283);
  CHECK(crc32c({}) == 0);
  CHECK(crc32c_portable({}) == 0);
}

TEST_CASE("CRC-32C by instruction equals CRC-32C by table at every length and alignment") {
  std::array<std::byte, 200> data;
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 37 + (i >> 3));
  for (std::size_t begin = 0; begin < 9; ++begin)
    for (std::size_t size = 0; size + begin <= data.size(); ++size) {
      const auto part = std::span(data).subspan(begin, size);
      REQUIRE(crc32c(part) == crc32c_portable(part));
    }
  std::array<std::byte, 7000> more;  // the processor takes three streams at once from some 3,000 bytes on
  for (std::size_t i = 0; i < more.size(); ++i) more[i] = static_cast<std::byte>(i * 131 + (i >> 5));
  for (std::size_t size = 3000; size <= more.size(); size += 13) {
    const auto part = std::span(more).first(size);
    REQUIRE(crc32c(part) == crc32c_portable(part));
  }
}

TEST_CASE("a packet in a log line names kind, destination, instance, tag and payload") {
  ActivationPacket packet = packet_of(PacketKind::kActivate);
  packet.stage = 3;
  packet.port = 2;
  packet.instance = 7;
  packet.tag = 0x105;
  packet.origin = 1;
  packet.sequence = 41;
  packet.payload_bytes = 4096;
  packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  packet.region = 5;
  packet.offset = 16;
  CHECK(to_string(packet) ==
        "activate #41 stage 3 port 2 instance 7 tag 0x105 origin 1, 4096 bytes at 5+1024 (memory 1:0)");
  packet.flags = kInline;
  CHECK(to_string(packet) == "activate #41 stage 3 port 2 instance 7 tag 0x105 origin 1, 4096 bytes inline");
  packet.flags = kAbsent;
  packet.payload_bytes = 0;
  CHECK(to_string(packet) == "activate #41 stage 3 port 2 instance 7 tag 0x105 origin 1, absent");
}

TEST_CASE("poison and numbers in a log line") {
  ActivationPacket poison = packet_of(PacketKind::kPoison);
  poison.origin = kNoStage;
  CHECK(to_string(poison) == "poison #0 stage 0 port 0 instance 0 tag 0x0 origin run, 0 bytes, status kernel_failed");
  ActivationPacket count = packet_of(PacketKind::kCount);
  count.payload_bytes = 12;
  CHECK(to_string(count) == "count #0 stage 0 port 0 instance 0 tag 0x0 origin 0, number 12");
}

TEST_CASE("numbers outside the lists have a name too") {
  CHECK(to_string(static_cast<Rejection>(200)) == "unknown");
  CHECK(to_string(static_cast<PacketKind>(0)) == "unknown");
  CHECK(to_string(static_cast<PacketKind>(7)) == "unknown");
  CHECK(to_string(PacketKind::kEnd) == "end");
  CHECK(to_string(Rejection::kRegion) == "region");
}

}  // namespace woa
