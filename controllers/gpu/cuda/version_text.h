// CUDA's versions, for messages.
#pragma once

#include <string>

namespace woa {

// "13.0" of the driver's 13000.
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace woa
