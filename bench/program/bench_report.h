// Shows a report of `woa bench`: as a table, the same facts as one JSON object, or a picture.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/measure/report.h"

namespace woa::tools {

nlohmann::json to_json(const bench::Report& report);
// Prints to stdout.
void print_table(const bench::Report& report);
// A self-contained SVG picture: a bar per row with its minimum and maximum, by size; from four sizes on, a line per
// contender over the size. Limits are grey and dashed, ours blue and green, peers orange and red. An axis whose values
// lie more than 20 times apart is logarithmic.
std::string to_svg(const bench::Report& report);

}  // namespace woa::tools
