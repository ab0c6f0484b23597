// Shows a report of `woa bench`: as a table, or the same facts as one JSON object.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/measure/report.h"

namespace woa::tools {

nlohmann::json to_json(const bench::Report& report);
// Prints to stdout.
void print_table(const bench::Report& report);

}  // namespace woa::tools
