// woa explain CODE: the page of a kind of problem.
#pragma once

#include <string>

namespace woa::tools {

// Prints the page of `code`, of any case; if there is none, the nearest code on stderr. Returns the exit code.
int explain_code(std::string code, bool as_json);

}  // namespace woa::tools
