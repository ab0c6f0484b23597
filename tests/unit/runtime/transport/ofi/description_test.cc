// A peer's description of its segment: read back as it was written, and refused if a single bit is wrong.
#include "runtime/transport/ofi/description.h"

#include <random>

#include "tests/support/catch.h"
#include "tests/support/says.h"

namespace woa::ofi {
namespace {

SegmentDescription any(std::mt19937_64& random) {
  SegmentDescription out;
  out.provider = "tcp;ofi_rxm";
  out.address.resize(1 + random() % 128);
  for (char& byte : out.address) byte = static_cast<char>(random());
  out.segment = static_cast<std::uint32_t>(random() % 4096);
  out.immediate_bytes = 8;
  out.bytes = random(), out.base = random(), out.key = random();
  return out;
}

}  // namespace

TEST_CASE("a description is read back as it was written") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const SegmentDescription written = any(random);
    const auto read = SegmentDescription::decode(written.encode());
    REQUIRE(read.ok());
    REQUIRE(read->provider == written.provider);
    REQUIRE(read->address == written.address);
    REQUIRE(read->segment == written.segment);
    REQUIRE(read->immediate_bytes == written.immediate_bytes);
    REQUIRE(read->bytes == written.bytes);
    REQUIRE(read->base == written.base);
    REQUIRE(read->key == written.key);
  }
}

TEST_CASE("any bit flipped, any byte missing or added is refused") {
  std::mt19937_64 random(2);
  const std::string good = any(random).encode();
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    REQUIRE(SegmentDescription::decode(bad).status().code() == Code::kInvalid);
  }
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes)
    REQUIRE(SegmentDescription::decode(good.substr(0, bytes)).status().code() == Code::kInvalid);
  REQUIRE(test::says(SegmentDescription::decode(good + "x").status(), "bytes, expected"));
}

TEST_CASE("bytes that never were a description are refused") {
  std::mt19937_64 random(3);
  const std::size_t bytes = any(random).encode().size();
  for (int round = 0; round < 1000; ++round) {
    std::string noise(bytes, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    REQUIRE_FALSE(SegmentDescription::decode(noise).ok());
  }
}

}  // namespace woa::ofi
