// libfabric, loaded when it is first asked for, so that one binary runs with and without it.
#pragma once

#include <rdma/fabric.h>

#include <string>
#include <string_view>

#include "runtime/base/status.h"

namespace woa::ofi {

// Every function that the library exports and that is used. The others are inline and go through tables of objects.
#define WOA_FABRIC_SYMBOLS(X) \
  X(fi_getinfo)               \
  X(fi_freeinfo)              \
  X(fi_dupinfo)               \
  X(fi_fabric)                \
  X(fi_strerror)              \
  X(fi_version)

struct FabricLibrary {
#define WOA_FABRIC_MEMBER(name) decltype(&::name) name = nullptr;
  WOA_FABRIC_SYMBOLS(WOA_FABRIC_MEMBER)
#undef WOA_FABRIC_MEMBER
};

inline constexpr std::uint32_t kFabricVersion = FI_VERSION(1, 17);  // the interface that this code is written for

// Loads the library once per process and never unloads it (providers keep threads in it). kUnavailable names what is
// missing, or the version found and the one expected; kExhausted: a limit on open files. Any thread.
const Result<FabricLibrary>& fabric_library();

// What libfabric calls the error `number` (positive), with the number. Only after fabric_library() has answered ok.
std::string fabric_error(int number);
// A call that failed with it: `otherwise`, or kExhausted with the limit on open files if that is probably the cause.
Status fabric_failure(Code otherwise, const std::string& call, int number, const std::string& advice);

}  // namespace woa::ofi
