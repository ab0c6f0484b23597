#include "runtime/base/shared_library.h"

#include <dlfcn.h>

namespace woa {

Result<void*> load_library(const std::string& file, std::string_view advice) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const std::string reason = ::dlerror(), limit = limit_at_hand();
  return {limit.empty() ? Code::kUnavailable : Code::kExhausted, reason + limit + "; " + std::string(advice)};
}

}  // namespace woa
