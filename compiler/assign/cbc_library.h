// CBC, loaded when it is first asked for, so that one binary runs with and without it.
#pragma once

#include <coin/Cbc_C_Interface.h>

#include "runtime/base/status.h"

namespace woa::assign {

#define WOA_CBC_SYMBOLS(X)       \
  X(Cbc_newModel)                \
  X(Cbc_deleteModel)             \
  X(Cbc_setLogLevel)             \
  X(Cbc_setParameter)            \
  X(Cbc_addCol)                  \
  X(Cbc_addRow)                  \
  X(Cbc_setMaximumSeconds)       \
  X(Cbc_setAllowableGap)         \
  X(Cbc_setAllowableFractionGap) \
  X(Cbc_setMIPStartI)            \
  X(Cbc_solve)                   \
  X(Cbc_isProvenOptimal)         \
  X(Cbc_bestSolution)

struct CbcLibrary {
#define WOA_CBC_MEMBER(name) decltype(&::name) name = nullptr;
  WOA_CBC_SYMBOLS(WOA_CBC_MEMBER)
#undef WOA_CBC_MEMBER
};

// Loads the library once per process and never unloads it. kUnavailable names what is missing. Any thread.
const Result<CbcLibrary>& cbc_library();

}  // namespace woa::assign
