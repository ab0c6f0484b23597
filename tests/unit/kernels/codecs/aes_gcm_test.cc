// Packets: known ones, round trips, and every way in which one can be wrong.
#include "tests/unit/kernels/codecs/aes_gcm.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "tests/unit/kernels/codecs/fire.h"

namespace woa::test {
namespace {

const std::string kZeros(64, '0');

Bytes from_hex(const std::string& digits) {
  Bytes bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Bytes plain_text(std::size_t length) {
  Bytes bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::uint8_t>(i * 31 + i / 251 + 7);
  return bytes;
}

Bytes encrypted(const Bytes& plain) {
  const Answer answer = KernelUnderTest("aes_gcm_encrypt", {{"key", kKey}}, {kRoom}).run({{plain}});
  REQUIRE(answer.status == WOA_OK);
  return answer.outs[0]->data;
}

void check_unauthentic(const KernelUnderTest& kernel, const Bytes& packet) {
  const Answer answer = kernel.run({{packet}});
  CHECK(answer.status == WOA_UNAUTHENTIC);
  CHECK(contains(answer.message, "not authentic"));
  const auto begin = answer.memory[0].begin(), end = begin + static_cast<std::ptrdiff_t>(packet.size() - 28);
  CHECK(std::all_of(begin, end, [](std::uint8_t byte) { return byte == 0; }));
}

// Test cases 13, 14 and 15 of McGrew and Viega, "The Galois/Counter Mode of Operation", which NIST's standard took
// over.
TEST_CASE("known packets are decrypted") {
  struct Known {
    std::string key, nonce, cipher, tag, plain;
  };
  const std::vector<Known> all{{kZeros, "000000000000000000000000", "", "530f8afbc74536b9a963b4f1c4cb738b", ""},
                               {kZeros, "000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18",
                                "d0d1c8a799996bf0265b98b5d48ab919", "00000000000000000000000000000000"},
                               {kKey, "cafebabefacedbaddecaf888",
                                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                                "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
                                "b094dac5d93471bdec1a502270e3cc6c",
                                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                                "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"}};
  for (const Known& known : all) {
    const Bytes packet = from_hex(known.nonce + known.cipher + known.tag);
    const KernelUnderTest kernel("aes_gcm_decrypt", {{"key", known.key}}, {{packet.size() - 28}});
    const Answer answer = kernel.run({{packet}});
    INFO(answer.message);
    REQUIRE(answer.status == WOA_OK);
    CHECK(*answer.outs[0] == Token{from_hex(known.plain)});
  }
}

TEST_CASE("what was encrypted is decrypted") {
  for (const std::size_t length : {0UL, 1UL, 15UL, 16UL, 17UL, 1000UL, (1UL << 20) + 3}) {
    const KernelUnderTest encrypt("aes_gcm_encrypt", {{"key", kKey}}, {{length + 28}});
    const KernelUnderTest decrypt("aes_gcm_decrypt", {{"key", kKey}}, {{length}});
    const Token plain{plain_text(length)};
    CHECK(encrypt.size({plain}).outs[0]->data.size() == length + 28);
    const Answer packet = encrypt.run({plain});
    REQUIRE(packet.status == WOA_OK);
    REQUIRE(packet.outs[0]->data.size() == length + 28);
    CHECK(decrypt.size({*packet.outs[0]}).outs[0]->data.size() == length);
    const Answer answer = decrypt.run({*packet.outs[0]});
    REQUIRE(answer.status == WOA_OK);
    CHECK((*answer.outs[0] == plain));  // not printed: it may be long
  }
}

TEST_CASE("no two packets have the same nonce") {
  std::set<std::string> nonces;
  for (int i = 0; i < 100; ++i) {
    const Bytes packet = encrypted(plain_text(32));
    nonces.emplace(packet.begin(), packet.begin() + 12);
  }
  CHECK(nonces.size() == 100);
}

TEST_CASE("a flipped bit anywhere is noticed, and no plaintext is left behind") {
  const KernelUnderTest kernel("aes_gcm_decrypt", {{"key", kKey}}, {kRoom});
  const Bytes packet = encrypted(plain_text(37));
  for (std::size_t bit = 0; bit < packet.size() * 8; ++bit) {
    CAPTURE(bit);
    Bytes changed = packet;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << bit % 8));
    check_unauthentic(kernel, changed);
  }
  CHECK(kernel.run({{packet}}).status == WOA_OK);
}

TEST_CASE("another key is noticed") {
  check_unauthentic(KernelUnderTest("aes_gcm_decrypt", {{"key", kZeros}}, {kRoom}), encrypted(plain_text(37)));
}

TEST_CASE("a packet that was cut or grew is noticed") {
  const KernelUnderTest kernel("aes_gcm_decrypt", {{"key", kKey}}, {kRoom});
  const Bytes packet = encrypted(plain_text(37));
  for (std::size_t length = 0; length <= packet.size() + 3; ++length) {
    CAPTURE(length);
    if (length == packet.size()) continue;
    Bytes changed = packet;
    changed.resize(length);
    if (length >= 28) {
      check_unauthentic(kernel, changed);
      continue;
    }
    for (const Answer& answer : {kernel.run({{changed}}), kernel.size({{changed}})}) {
      CHECK(answer.status == WOA_INVALID);
      CHECK(contains(answer.message, "has " + std::to_string(length) + " bytes"));
      CHECK(contains(answer.message, "(28)"));
    }
  }
}

TEST_CASE("an output that does not fit is left alone") {
  const auto check_too_large = [](const Answer& answer, const std::string& needed, const std::string& bound) {
    CHECK(answer.status == WOA_TOO_LARGE);
    CHECK(contains(answer.message, "needs " + needed + " bytes, its bound is " + bound));
    const Bytes& memory = answer.memory[0];
    CHECK(std::all_of(memory.begin(), memory.end(), [](std::uint8_t byte) { return byte == 0xa5; }));
  };
  const KernelUnderTest decrypt("aes_gcm_decrypt", {{"key", kKey}}, {{36}});
  const KernelUnderTest encrypt("aes_gcm_encrypt", {{"key", kKey}}, {{64}});
  check_too_large(decrypt.run({{encrypted(plain_text(37))}}), "37", "36");
  check_too_large(encrypt.run({{plain_text(37)}}), "65", "64");
}

TEST_CASE("several threads share a key") {
  const KernelUnderTest encrypt("aes_gcm_encrypt", {{"key", kKey}}, {kRoom});
  const KernelUnderTest decrypt("aes_gcm_decrypt", {{"key", kKey}}, {kRoom});
  std::atomic<int> right = 0;
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 50; ++i) {
        const Bytes plain = plain_text(100 * t + i);
        const std::optional<Bytes> packet = fire(encrypt, plain, 1000);
        if (packet && fire(decrypt, *packet, 1000) == plain) ++right;
      }
    });
  }
  threads.clear();
  CHECK(right == 200);
}

}  // namespace
}  // namespace woa::test
