// Times and sizes for people, in the unit that leaves the fewest digits before the point.
#pragma once

#include <string>

namespace woa::tools {

// Formats one number as printf does.
std::string to_text(const char* format, double value);

std::string us_of(double us);        // "12.35 ms"
std::string bytes_of(double bytes);  // "4.000 KiB"

}  // namespace woa::tools
