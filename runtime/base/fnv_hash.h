// A hash that tells versions of something apart: FNV-1a, 64 bits (draft-eastlake-fnv). No protection from forgery.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace woa {

class FnvHash {
 public:
  // Parts are kept apart: "ab", "c" is not "a", "bc".
  void add(std::string_view part) {
    for (const char c : part) add_byte(static_cast<std::uint8_t>(c));
    add_byte(0);
  }
  void add(std::uint64_t number) { add(std::to_string(number)); }
  // 16 hexadecimal digits.
  [[nodiscard]] std::string text() const {
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(value_));
    return digits.data();
  }

 private:
  void add_byte(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace woa
