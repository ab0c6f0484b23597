#include "tests/doubles/cuda/driver/rules.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/doubles/cuda/driver/options.h"

namespace woa::cuda_double {

cuda::Result broken(std::string_view rule, std::string_view function, std::string_view text) {
  std::string line = "woa_cuda_double: ";
  line.append(rule).append(": ").append(function).append(": ").append(text).append("\n");
  std::fputs(line.c_str(), stderr);
  if (!options().rules_are_errors) std::abort();
  return cuda::kNotPermitted;
}

}  // namespace woa::cuda_double
