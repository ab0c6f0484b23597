// The golden packets of tests/golden/packet/vectors.txt: what every implementation of the packet is run against.
#pragma once

#include <string>
#include <vector>

#include "runtime/packet/activation_packet.h"

namespace woa::test {

struct PacketVector {
  ActivationPacket packet;
  std::string reason;  // expected, as to_string(Rejection) writes it
  std::string name;
};

// All vectors; ends the program with a message when the file is missing or a line is malformed. `path`: of a copy.
std::vector<PacketVector> packet_vectors(const std::string& path = WOA_SOURCE_DIR "/tests/golden/packet/vectors.txt");

// The first few vectors whose answer is not the expected one, as text for a test failure; empty when all agree.
// `answers` holds one rejection number per vector.
std::string disagreements(const std::vector<PacketVector>& vectors, const std::vector<std::uint32_t>& answers);

}  // namespace woa::test
