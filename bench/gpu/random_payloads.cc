#include "bench/gpu/random_payloads.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

namespace woa::bench {
namespace {

constexpr std::uint64_t kPayloads = 509;  // until they repeat

}  // namespace

RandomPayloads::RandomPayloads(std::uint64_t bytes) : bytes_(bytes), words_(bytes / sizeof(std::uint64_t) + kPayloads) {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device()};
  std::mt19937_64 random(seed);
  for (std::uint64_t& word : words_) word = random();
}

const std::byte* RandomPayloads::payload(std::uint64_t number) const noexcept {
  return reinterpret_cast<const std::byte*>(words_.data() + number % kPayloads);
}

void RandomPayloads::fill(std::uint64_t number, std::span<std::byte> room) const noexcept {
  std::memcpy(room.data(), payload(number), bytes_);
}

Status RandomPayloads::check_inverted(std::uint64_t number, std::span<const std::byte> found) const {
  return check(number, found, ~std::uint64_t{0});
}

Status RandomPayloads::check_same(std::uint64_t number, std::span<const std::byte> found) const {
  return check(number, found, 0);
}

Status RandomPayloads::check(std::uint64_t number, std::span<const std::byte> found, std::uint64_t flipped) const {
  if (found.size() != bytes_)
    return {Code::kDataLoss, "payload " + std::to_string(number) + " came back with " + std::to_string(found.size()) +
                                 " bytes, expected " + std::to_string(bytes_)};
  const std::byte* const sent = payload(number);
  std::uint64_t at = 0;
  for (std::uint64_t was = 0, is = 0; at + sizeof was <= bytes_; at += sizeof was) {
    std::memcpy(&was, sent + at, sizeof was);
    std::memcpy(&is, found.data() + at, sizeof is);
    if ((was ^ flipped) != is) break;
  }
  const auto flip = static_cast<std::byte>(flipped);
  while (at < bytes_ && (sent[at] ^ flip) == found[at]) ++at;
  if (at == bytes_) return {};
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "byte %llu of payload %llu is 0x%02x, expected 0x%02x",
                static_cast<unsigned long long>(at), static_cast<unsigned long long>(number),
                static_cast<unsigned>(found[at]), static_cast<unsigned>(sent[at] ^ flip));
  return {Code::kDataLoss, text.data()};
}

}  // namespace woa::bench
