// The folder in which tests find what was built.
#pragma once

#include <cstdlib>
#include <string>

namespace woa::test {

// The environment names the folder where it has moved: on another machine, for instance (tools/gpu-bundle).
inline std::string build_folder() {
  const char* const moved = std::getenv("WOA_BUILD_DIR");
  return moved == nullptr ? WOA_BUILD_DIR : moved;
}

}  // namespace woa::test
