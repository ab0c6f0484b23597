// woa_packet_check.sv, verilated, against every golden vector.
#include <Vwoa_packet_check.h>
#include <verilated.h>

#include <cstring>

#include "tests/support/catch.h"
#include "tests/unit/runtime/packet/vectors.h"

TEST_CASE("woa_packet_check.sv answers every golden vector as expected") {
  VerilatedContext context;
  Vwoa_packet_check module(&context);
  const auto vectors = woa::test::packet_vectors();
  std::vector<std::uint32_t> answers;
  for (const auto& vector : vectors) {
    static_assert(sizeof module.header == woa::kPacketBytes);
    std::memcpy(&module.header, &vector.packet, sizeof vector.packet);
    module.eval();
    answers.push_back(module.rejection);
  }
  module.final();
  CHECK(woa::test::disagreements(vectors, answers).empty());
}
