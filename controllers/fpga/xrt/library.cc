#include "controllers/fpga/xrt/library.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>

#include "runtime/base/file.h"
#include "runtime/base/shared_library.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModeVariable = "XCL_EMULATION_MODE";
constexpr const char* kRootVariable = "XILINX_XRT";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The other modes start simulators of Vitis, which end the process or hang where Vitis is absent.
Status check_mode(const std::string& mode) {
  if (mode.empty() || mode == "noop") return {};
  return {Code::kUnavailable, std::string(kModeVariable) + " is '" + mode +
                                  "', and simulators of Vitis are not supported: unset it to use a card, or use the "
                                  "back-end `verilator`, which simulates the same RTL"};
}

fs::path file_of(void* library) {
  link_map* map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  std::error_code error;
  const fs::path real = fs::canonical(map->l_name, error);
  return error ? fs::path(map->l_name) : real;
}

// The library that XRT loads behind this one: the driver of a card, or the no-op shim.
fs::path shim_of(const std::string& mode) { return mode == "noop" ? "libxrt_noop.so.2" : "libxrt_core.so.2"; }

// The overlay stays, so it lies in the user's cache; in the folder of temporary files where there is none.
fs::path lasting_folder() {
  const fs::path folder = cache_folder(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  std::error_code error;
  if (!folder.empty() && (fs::create_directories(folder, error) || fs::is_directory(folder, error))) return folder;
  return fs::temp_directory_path(error);
}

// XRT loads its shim from $XILINX_XRT/lib. A library without shims beside it needs none.
Status choose_root(const fs::path& libraries, const fs::path& shim) {
  std::error_code error;
  if (const std::string root = variable(kRootVariable); !root.empty()) {
    if (fs::exists(fs::path(root) / "lib" / shim, error) || !fs::exists(libraries / shim, error)) return {};
    return {Code::kUnavailable, std::string(kRootVariable) + " is '" + root + "', and " + root + "/lib has no " +
                                    shim.string() + ", which lies in " + libraries.string() + ": unset " +
                                    kRootVariable};
  }
  if (!fs::exists(libraries / "libxrt_core.so.2", error)) return {};
  if (!fs::exists(libraries / shim, error))
    return {Code::kUnavailable, std::string(kModeVariable) + " is 'noop', and this XRT has no no-op shim (" +
                                    (libraries / shim).string() + "): unset it; XRT 2.13 has one"};
  fs::path root = libraries.parent_path();
  if (libraries.filename() != "lib") {
    auto overlay = xrt_overlay(libraries, lasting_folder());
    if (!overlay.ok()) return overlay.status();
    root = *overlay;
  }
  ::setenv(kRootVariable, root.c_str(), 1);
  return {};
}

// XRT's static objects crash when the process exits with a kernel or a run open (2.13). A user may call exit() in
// mid-run, and a run that never ends is left open, so such a process ends without them.
xrt::Library real;
std::atomic<int> held{0};

void end_if_held(int status, void*) {
  if (held == 0) return;
  std::fflush(nullptr);
  ::_exit(status);
}

// Handlers run in reverse order, and XRT's objects have theirs: some from its first kernel on, some from its first run.
std::once_flag first_kernel, first_run;

void* hold(void* handle, std::once_flag& first) {
  if (handle == nullptr) return handle;
  ++held;
  std::call_once(first, [] { (void)::on_exit(end_if_held, nullptr); });
  return handle;
}

int release(int result) {
  if (result == 0) --held;
  return result;
}

void count_handles(xrt::Library& library) {
  real = library;
  library.kernel_open = [](xrt::DeviceHandle device, const unsigned char* uuid, const char* name) {
    return hold(real.kernel_open(device, uuid, name), first_kernel);
  };
  library.kernel_open_exclusive = [](xrt::DeviceHandle device, const unsigned char* uuid, const char* name) {
    return hold(real.kernel_open_exclusive(device, uuid, name), first_kernel);
  };
  library.run_open = [](xrt::KernelHandle kernel) { return hold(real.run_open(kernel), first_run); };
  library.kernel_close = [](xrt::KernelHandle kernel) { return release(real.kernel_close(kernel)); };
  library.run_close = [](xrt::RunHandle run) { return release(real.run_close(run)); };
}

Result<XrtLibrary> load_xrt() {
  const std::string mode = variable(kModeVariable);
  WOA_RETURN_IF_ERROR(check_mode(mode));
  if (mode.empty()) ::unsetenv(kModeVariable);  // XRT takes an empty one for a mode that it does not know
  const Result<void*> library =
      load_library(kXrtLibrary,
                   "install XRT 2.13 or newer (Debian: libxrt1; cards: AMD's package xrt), or name its folder in "
                   "LD_LIBRARY_PATH");
  if (!library.ok()) return library.status().with_context("no XRT");
  XrtLibrary opened;
  opened.file = file_of(*library);
#define WOA_XRT_FIND(member, symbol, result, parameters)                                                     \
  opened.functions.member = reinterpret_cast<decltype(opened.functions.member)>(::dlsym(*library, #symbol)); \
  if (opened.functions.member == nullptr)                                                                    \
    return {Code::kUnavailable, opened.file.string() + " has no " #symbol "; XRT 2.13 or newer is required"};
  WOA_XRT_FUNCTIONS(WOA_XRT_FIND)
#undef WOA_XRT_FIND
  const std::string name = opened.file.filename().string(), stem = "libxrt_coreutil.so.";
  if (name.starts_with(stem) && name.size() > stem.size() + 1) opened.version = name.substr(stem.size());
  if (const void* const test_double = ::dlsym(*library, "woa_xrt_double"); test_double != nullptr)
    opened.stand_in = static_cast<const char*>(test_double);
  else if (opened.opens_any = mode == "noop"; opened.opens_any)
    opened.stand_in = "no-op shim of XRT";
  WOA_RETURN_IF_ERROR(choose_root(opened.file.parent_path(), shim_of(mode)));
  count_handles(opened.functions);
  (void)opened.functions.set_string("Runtime.runtime_log", "null");  // a library that refuses it is only louder
  return opened;
}

Status no_overlay(const fs::path& folder, const std::string& why) {
  return {Code::kUnavailable,
          "XRT finds its files below a folder that XILINX_XRT names, and '" + folder.string() +
              "' cannot be that: " + why +
              "; let XDG_CACHE_HOME name a folder of yours, or XILINX_XRT to one whose `lib` holds XRT's "
              "libraries"};
}

}  // namespace

Result<fs::path> xrt_overlay(const fs::path& libraries, const fs::path& parent) {
  const fs::path folder = parent / ("woa-xrt-" + std::to_string(::geteuid()) + "-" +
                                    std::to_string(std::hash<std::string>()(libraries.string())));
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return no_overlay(folder, reason_of(errno));
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0) return no_overlay(folder, reason_of(errno));
  if (!S_ISDIR(found.st_mode)) return no_overlay(folder, "it is no folder");
  if (found.st_uid != ::geteuid() || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return no_overlay(folder, "other users can write to it");
  const fs::path link = folder / "lib";
  if (::symlink(libraries.c_str(), link.c_str()) != 0 && errno != EEXIST) return no_overlay(folder, reason_of(errno));
  std::error_code error;
  if (fs::read_symlink(link, error) != libraries)
    return no_overlay(folder, "its `lib` does not lead to " + libraries.string());
  return folder;
}

const Result<XrtLibrary>& open_xrt() {
  static const Result<XrtLibrary> library = load_xrt();
  return library;
}

}  // namespace woa
