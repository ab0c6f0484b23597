// libpmix, loaded when a launcher offers PMIx, so that one binary runs with and without it.
#pragma once

#include <pmix.h>

#include <string>

#include "runtime/base/status.h"

namespace woa {

// Every function that is used. The header's macros are not: they call functions that differ between versions.
#define WOA_PMIX_SYMBOLS(X) \
  X(PMIx_Init)              \
  X(PMIx_Finalize)          \
  X(PMIx_Get)               \
  X(PMIx_Put)               \
  X(PMIx_Commit)            \
  X(PMIx_Error_string)      \
  X(PMIx_Get_version)

struct PmixLibrary {
#define WOA_PMIX_MEMBER(name) decltype(&::name) name = nullptr;
  WOA_PMIX_SYMBOLS(WOA_PMIX_MEMBER)
#undef WOA_PMIX_MEMBER
};

// Loads the library of that name and never unloads it. kUnavailable names what is missing. Any thread.
Result<PmixLibrary> load_pmix(const std::string& name);

}  // namespace woa
