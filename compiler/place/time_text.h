// Times of placements in words: one form for what is read, one for what is given to options.
#pragma once

#include <string>

#include "compiler/assign/problem.h"

namespace woa {

// "20032.5 us", to six digits, as values of placements are shown everywhere.
std::string time_text(assign::Sum ps);

// "20032500ns" or "10ms": no less than it is.
std::string option_text(assign::Sum ps);

}  // namespace woa
