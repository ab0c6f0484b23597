#include "runtime/transport/ofi/library.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

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

// When an endpoint is enabled, ofi_rxm allocates and clears buffers for messages, which this transport does not send:
// 5120 of 16 KiB each, and some 60 ms. Its writes bypass them, but for the credit lines of at most 64 bytes that they
// are copied into. libfabric 2 posts 4096 of them to a queue that all peers share; 128 is what it posts without one.
struct Variable {
  const char *name, *value;
};
constexpr std::array kSmaller{Variable{"FI_OFI_RXM_BUFFER_SIZE", "1024"}, Variable{"FI_OFI_RXM_MSG_RX_SIZE", "128"}};

// libfabric reads the variables when the first call makes it load its providers. What this process starts, peers of
// `woa bench` among them, must not inherit them.
void load_providers(const FabricLibrary& table) {
  std::vector<const char*> ours;
  for (const Variable& variable : kSmaller) {
    if (std::getenv(variable.name) != nullptr) continue;
    ::setenv(variable.name, variable.value, 0);
    ours.push_back(variable.name);
  }
  fi_info *hints = table.fi_dupinfo(nullptr), *found = nullptr;
  if (hints != nullptr) {
    hints->fabric_attr->prov_name = ::strdup("none");  // none of them is asked for its devices
    (void)table.fi_getinfo(kFabricVersion, nullptr, nullptr, 0, hints, &found);
    if (found != nullptr) table.fi_freeinfo(found);
    table.fi_freeinfo(hints);
  }
  for (const char* name : ours) ::unsetenv(name);
}

Result<FabricLibrary> load() {
  keep_signal_handlers();
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
  load_providers(table);
  return table;
}

}  // namespace

const Result<FabricLibrary>& fabric_library() {
  static const Result<FabricLibrary> table = load();
  return table;
}

std::string fabric_error(int number) {
  if (is_limit(number)) return reason_of(number);
  return std::string(fabric_library()->fi_strerror(number)) + " (" + std::to_string(number) + ")";
}

Status fabric_failure(Code otherwise, const std::string& call, int number, const std::string& advice) {
  const std::string limit = is_limit(number) ? "" : limit_at_hand();
  const bool exhausted = is_limit(number) || !limit.empty();
  return {exhausted ? Code::kExhausted : otherwise, call + ": " + fabric_error(number) + limit + "; " + advice};
}

}  // namespace woa::ofi
