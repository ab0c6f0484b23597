// woa_packet.h compiled for CUDA devices, against every golden vector.
#include "tests/cuda_kernels/kernel_rig.h"
#include "tests/support/build_folder.h"
#include "tests/unit/runtime/packet/vectors.h"

namespace woa::test {

TEST_CASE("woa_packet_check and woa_packet_seal on a device") {
  const auto vectors = packet_vectors(build_folder() + "/tests/cuda_kernels/vectors.txt");
  Token packets;
  std::vector<std::uint32_t> sealed_crcs;
  for (const auto& vector : vectors) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&vector.packet);
    packets.data.insert(packets.data.end(), bytes, bytes + sizeof vector.packet);
    ActivationPacket sealed = vector.packet;
    seal(sealed);
    sealed_crcs.push_back(sealed.crc32c);
  }
  KernelRig rig("tests/cuda_kernels/packet_golden", {{}}, packets.data.size());
  const Answer answer = rig.compare(0, {packets});
  const auto answers = elements<std::uint32_t>(*answer.outs[0]);
  REQUIRE(answers.size() == 2 * vectors.size());
  std::vector<std::uint32_t> rejections, crcs;
  for (std::size_t k = 0; k < vectors.size(); ++k)
    rejections.push_back(answers[2 * k]), crcs.push_back(answers[2 * k + 1]);
  CHECK(disagreements(vectors, rejections).empty());
  CHECK(crcs == sealed_crcs);
}

}  // namespace woa::test
