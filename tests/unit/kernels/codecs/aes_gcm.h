// Common to the tests of AES-GCM: a key, and room for the outputs.
#pragma once

#include <string>

#include "tests/support/kernel_under_test.h"

namespace woa::test {

inline constexpr Room kRoom{4096};
inline const std::string kKey = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";

}  // namespace woa::test
