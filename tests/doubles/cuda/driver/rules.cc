#include "tests/doubles/cuda/driver/rules.h"

#include "tests/doubles/common/rules.h"
#include "tests/doubles/cuda/driver/options.h"

namespace woa::cuda_double {

cuda::Result broken(std::string_view rule, std::string_view function, std::string_view text) {
  doubles::broken("woa_cuda_double", rule, function, text, options().rules_are_errors);
  return cuda::kNotPermitted;
}

}  // namespace woa::cuda_double
