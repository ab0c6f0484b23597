// Rules that real drivers do not enforce, or enforce by hanging. The double is strict about them.
#pragma once

#include <string_view>

#include "controllers/gpu/cuda/cuda_api.h"

namespace woa::cuda_double {

// Prints "woa_cuda_double: RULE: function: text" and aborts; under rules=errors it prints, and returns kNotPermitted.
cuda::Result broken(std::string_view rule, std::string_view function, std::string_view text);

}  // namespace woa::cuda_double
