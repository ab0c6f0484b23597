#include "tests/doubles/common/rules.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace woa::doubles {

void broken(std::string_view library, std::string_view rule, std::string_view function, std::string_view text,
            bool go_on) {
  std::string line(library);
  line.append(": ").append(rule).append(": ").append(function).append(": ").append(text).append("\n");
  std::fputs(line.c_str(), stderr);
  if (!go_on) std::abort();
}

}  // namespace woa::doubles
