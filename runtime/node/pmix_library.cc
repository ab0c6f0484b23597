#include "runtime/node/pmix_library.h"

#include <dlfcn.h>

namespace woa {

Result<PmixLibrary> load_pmix(const std::string& name) {
  void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return {Code::kUnavailable, std::string("libpmix cannot be loaded (") + ::dlerror() + "); install libpmix2"};
  PmixLibrary table;
#define WOA_PMIX_LOAD(symbol)                                                         \
  table.symbol = reinterpret_cast<decltype(table.symbol)>(::dlsym(library, #symbol)); \
  if (table.symbol == nullptr) return {Code::kUnavailable, name + " has no " #symbol "; install libpmix2"};
  WOA_PMIX_SYMBOLS(WOA_PMIX_LOAD)
#undef WOA_PMIX_LOAD
  return table;
}

}  // namespace woa
