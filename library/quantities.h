// Times and sizes for people: four digits, in the largest unit that gives at least ten.
#pragma once

#include <string>

namespace woa {

// Formats one number as printf does.
std::string to_text(const char* format, double value);

std::string us_of(double us);        // "12.35 ms"
std::string bytes_of(double bytes);  // "12.00 KiB"

}  // namespace woa
