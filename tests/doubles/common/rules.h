// Rules that real libraries do not enforce, or enforce by hanging. The doubles are strict about them.
#pragma once

#include <string_view>

namespace woa::doubles {

// Prints "LIBRARY: RULE: function: text", and aborts unless `go_on`.
void broken(std::string_view library, std::string_view rule, std::string_view function, std::string_view text,
            bool go_on);

}  // namespace woa::doubles
