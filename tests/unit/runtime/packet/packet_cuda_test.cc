// woa_packet.h compiled for CUDA devices, against every golden vector: the committed PTX, interpreted.
#include "tests/support/catch.h"
#include "tests/unit/doubles/cuda/ptx_rig.h"
#include "tests/unit/runtime/packet/vectors.h"

namespace woa {

TEST_CASE("woa_packet_check and woa_packet_seal as PTX") {
  const auto vectors = test::packet_vectors();
  std::vector<ActivationPacket> packets;
  std::vector<std::uint32_t> sealed_crcs;
  for (const auto& vector : vectors) {
    packets.push_back(vector.packet);
    ActivationPacket sealed = vector.packet;
    seal(sealed);
    sealed_crcs.push_back(sealed.crc32c);
  }
  const auto count = static_cast<std::uint32_t>(packets.size());
  std::vector<std::uint32_t> answers(2 * packets.size());
  ptx::Rig rig(ptx::text_of(WOA_SOURCE_DIR "/tests/unit/runtime/packet/packet_golden.ptx"));
  // Extents, then address, bytes and dims of the packets and of the answers, as woa_cuda.h has them.
  const ptx::Outcome outcome = rig.launch("packet_golden", {(count + 63) / 64, 1, 1}, {64, 1, 1},
                                          {count, 1, 1, rig.memory.add(packets, false), 64 * packets.size(), count, 0,
                                           rig.memory.add(answers), 8 * packets.size(), count, 0});
  INFO(outcome.what);
  REQUIRE(outcome.end == ptx::End::kDone);
  std::vector<std::uint32_t> rejections, crcs;
  for (std::size_t k = 0; k < packets.size(); ++k)
    rejections.push_back(answers[2 * k]), crcs.push_back(answers[2 * k + 1]);
  CHECK(test::disagreements(vectors, rejections).empty());
  CHECK(crcs == sealed_crcs);
}

}  // namespace woa
