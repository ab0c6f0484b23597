#include "tests/unit/runtime/packet/vectors.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace woa::test {
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::printf("tests/golden/packet/vectors.txt: %s: run make_vectors.py\n", what.c_str());
  std::exit(1);
}

ActivationPacket from_hex(const std::string& hex) {
  if (hex.size() != 2 * kPacketBytes || hex.find_first_not_of("0123456789abcdef") != std::string::npos)
    fail("expected 128 hexadecimal digits, found '" + hex + "'");
  std::array<unsigned char, kPacketBytes> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  ActivationPacket packet;
  std::memcpy(&packet, bytes.data(), bytes.size());
  return packet;
}

}  // namespace

std::vector<PacketVector> packet_vectors(const std::string& path) {
  std::ifstream file(path);
  std::vector<PacketVector> vectors;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string hex;
    PacketVector vector;
    if (!(words >> hex >> vector.reason >> vector.name)) fail("cannot read line '" + line + "'");
    vector.packet = from_hex(hex);
    vectors.push_back(vector);
  }
  if (vectors.size() < 1000) fail("found " + std::to_string(vectors.size()) + " vectors, expected over 1000");
  return vectors;
}

std::string disagreements(const std::vector<PacketVector>& vectors, const std::vector<std::uint32_t>& answers) {
  if (answers.size() != vectors.size()) return "expected one answer per vector";
  std::string text;
  int found = 0;
  for (std::size_t i = 0; i < vectors.size() && found < 10; ++i) {
    const auto answer = answers[i] < kRejectionNames.size() ? kRejectionNames[answers[i]] : "(no such number)";
    if (answer == vectors[i].reason) continue;
    ++found;
    text += vectors[i].name + ": expected " + vectors[i].reason + ", got " + std::string(answer) + "\n";
  }
  return text;
}

}  // namespace woa::test
