// Draws a report for `woa bench --plot`.
#pragma once

#include <string>

#include "runtime/measure/report.h"

namespace woa::tools {

// A self-contained SVG picture: a bar per row with its minimum and maximum, by size; from four sizes on, a line per
// contender over the size. Limits are grey and dashed, ours blue and green, peers orange and red. An axis whose values
// lie more than 20 times apart is logarithmic.
std::string to_svg(const bench::Report& report);

}  // namespace woa::tools
