// woa explain CODE: the page of a kind of problem.
#pragma once

#include <string>

namespace woa::tools {

// Prints the page of `code`, of any case; if there is none, the nearest code on stderr. Returns the exit code.
int explain_code(std::string code, bool as_json);

// The code that somebody who wrote digits alone may have meant, if they are no file; else empty.
std::string code_without_letter(const std::string& digits);

}  // namespace woa::tools
