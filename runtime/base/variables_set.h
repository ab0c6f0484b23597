// Environment variables that change what a library finds. An error about something missing names those that are set.
#pragma once

#include <cstdlib>
#include <span>
#include <string>

namespace woa {

// Those of `names` that the environment sets, as "FI_PROVIDER=shm, POCL_DEVICES=cpu". Empty: none.
inline std::string variables_set(std::span<const char* const> names) {
  std::string text;
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr) text.append(text.empty() ? "" : ", ").append(name).append("=").append(value);
  }
  return text;
}

}  // namespace woa
