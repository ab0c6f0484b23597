// "1 stage", "2 stages".
#pragma once

#include <cstdint>
#include <string>

namespace woa {

// `one`: the noun, whose plural takes an s.
inline std::string counted(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace woa
