// The order that people expect of file names.
#pragma once

#include <string_view>

namespace woa::tools {

// Whether `a` comes before `b`: digits compare as the number that they write, so frame2 comes before frame10. Names
// that differ in leading zeros only compare byte by byte. A total order.
bool natural_less(std::string_view a, std::string_view b) noexcept;

}  // namespace woa::tools
