#include "runtime/transport/ofi/library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "runtime/base/shared_library.h"

namespace woa::ofi {
namespace {

constexpr const char* kLibrary = "libfabric.so.1";

std::string version_text(std::uint32_t version) {
  return std::to_string(FI_MAJOR(version)) + "." + std::to_string(FI_MINOR(version));
}

// libinfinipath, which some builds of libfabric load, would replace this process's handlers of signals by some that
// call exit(), also while libfabric holds its locks: a SIGTERM would hang, and a crash look like an exit. It asks
// first.
void keep_signal_handlers() { ::setenv("IPATH_NO_BACKTRACE", "1", 0); }

// ofi_rxm allocates and clears 5120 buffers for messages when an endpoint is enabled: at its usual 16 KiB 84 MiB and
// some 60 ms of each process. This transport sends no messages, only writes that bypass them, and credit lines.
void shrink_message_buffers() { ::setenv("FI_OFI_RXM_BUFFER_SIZE", "1024", 0); }

Result<FabricLibrary> load() {
  keep_signal_handlers();
  shrink_message_buffers();
  const Result<void*> library = load_library(kLibrary, "install libfabric1");
  if (!library.ok()) return library.status().with_context("libfabric cannot be loaded");
  FabricLibrary table;
#define WOA_FABRIC_LOAD(name)                                                             \
  table.name = reinterpret_cast<decltype(table.name)>(::dlsym(*library, #name));          \
  if (table.name == nullptr)                                                              \
    return {Code::kUnavailable, std::string(kLibrary) + " has no " #name "; libfabric " + \
                                    version_text(kFabricVersion) + " or newer is required"};
  WOA_FABRIC_SYMBOLS(WOA_FABRIC_LOAD)
#undef WOA_FABRIC_LOAD
  if (FI_VERSION_LT(table.fi_version(), kFabricVersion))
    return {Code::kUnavailable, std::string(kLibrary) + " is version " + version_text(table.fi_version()) +
                                    "; expected " + version_text(kFabricVersion) + " or newer"};
  return table;
}

}  // namespace

const Result<FabricLibrary>& fabric_library() {
  static const Result<FabricLibrary> table = load();
  return table;
}

std::string fabric_error(int number, std::string_view advice) {
  if (is_limit(number)) return reason_of(number);
  const std::string limit = limit_at_hand();
  return std::string(fabric_library()->fi_strerror(number)) + " (" + std::to_string(number) + ")" +
         (limit.empty() && !advice.empty() ? "; " + std::string(advice) : limit);
}

}  // namespace woa::ofi
