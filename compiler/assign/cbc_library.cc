#include "compiler/assign/cbc_library.h"

#include <dlfcn.h>

#include <string>

namespace woa::assign {
namespace {

constexpr const char* kLibrary = "libCbcSolver.so.3";

Result<CbcLibrary> load() {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return {Code::kUnavailable, std::string("CBC cannot be loaded (") + ::dlerror() + "); install coinor-libcbc3"};
  CbcLibrary table;
#define WOA_CBC_LOAD(name)                                                      \
  table.name = reinterpret_cast<decltype(table.name)>(::dlsym(library, #name)); \
  if (table.name == nullptr)                                                    \
    return {Code::kUnavailable, std::string(kLibrary) + " has no " #name "; version 2.10 or newer is required"};
  WOA_CBC_SYMBOLS(WOA_CBC_LOAD)
#undef WOA_CBC_LOAD
  return table;
}

}  // namespace

const Result<CbcLibrary>& cbc_library() {
  static const Result<CbcLibrary> table = load();
  return table;
}

}  // namespace woa::assign
