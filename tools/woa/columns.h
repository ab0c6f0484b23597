// Tables of text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace woa::tools {

using Cells = std::vector<std::string>;

// The side on which cells stand in all columns but the first, which is left-aligned.
enum class Align : std::uint8_t { kLeft, kRight };

// A line for each row, its cells in columns as wide as their widest text and two blanks apart, without blanks at the
// end. Rows may have different numbers of cells.
std::vector<std::string> in_columns(const std::vector<Cells>& rows, Align align = Align::kLeft);

}  // namespace woa::tools
