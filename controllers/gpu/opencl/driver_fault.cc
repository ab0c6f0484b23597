#include "controllers/gpu/opencl/driver_fault.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "runtime/base/variables_set.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPocl = "Portable Computing Language";
constexpr std::array kHiding{"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "POCL_DEVICES"};

struct CacheFolder {
  fs::path path;
  std::string origin;  // the variable that it comes from
};

// PoCL tries the variables in this order, and takes an empty XDG_CACHE_HOME for none.
CacheFolder pocl_cache() {
  const fs::path own = fs::path("pocl") / "kcache";
  if (const char* const given = std::getenv("POCL_CACHE_DIR")) return {given, "POCL_CACHE_DIR"};
  if (const char* const caches = std::getenv("XDG_CACHE_HOME"); caches != nullptr && *caches != '\0')
    return {caches / own, "XDG_CACHE_HOME"};
  if (const char* const home = std::getenv("HOME")) return {fs::path(home + std::string("/.cache")) / own, "HOME"};
  return {"/tmp" / own, "no variable"};
}

// The system's reason why `folder` cannot be written; empty if it can.
std::string why_not_writable(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return error.message();
  std::string name = (folder / "woa-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) return std::strerror(errno);
  const std::array<char, 4096> block{};
  const bool written = ::write(file, block.data(), block.size()) == static_cast<ssize_t>(block.size());
  const std::string reason = written ? "" : std::strerror(errno);
  ::close(file);
  ::unlink(name.c_str());
  return reason;
}

// Why PoCL can neither keep what it builds in `folder`, which can be written, nor run it from there; empty if it can.
std::string why_not_usable(const fs::path& folder) {
  constexpr std::uint64_t kOneKernel = 1 << 20;  // with what LLVM leaves beside it
  struct statvfs mount {};
  if (::statvfs(folder.c_str(), &mount) != 0 || mount.f_blocks == 0) return "";
  if ((mount.f_flag & ST_NOEXEC) != 0)
    return "lies on a mount with the option noexec, and PoCL runs its kernels from it";
  const std::uint64_t free = std::uint64_t{mount.f_bavail} * mount.f_frsize;
  return free < kOneKernel ? "has room for " + std::to_string(free) + " bytes, and a kernel takes up to 1 MiB" : "";
}

std::string pocl_fault() {
  const CacheFolder cache = pocl_cache();
  if (cache.path.empty()) return "POCL_CACHE_DIR is set, but empty, which aborts PoCL; unset it";
  std::string why = why_not_writable(cache.path);
  why = why.empty() ? why_not_usable(cache.path) : "cannot be written: " + why;
  if (why.empty()) return "";
  return "PoCL's cache folder " + cache.path.string() + " (from " + cache.origin + ") " + why +
         "; set POCL_CACHE_DIR to a folder that can be written and executed, with room";
}

}  // namespace

std::string driver_name(const OpenCl& cl, cl_platform_id driver) {
  std::array<char, 256> name{};
  if (cl.clGetPlatformInfo(driver, CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr) != CL_SUCCESS)
    return "unnamed";
  return name.data();
}

std::string driver_fault(const OpenCl& cl, cl_platform_id driver) {
  return driver_name(cl, driver) == kPocl ? pocl_fault() : "";
}

cl_platform_id driver_of(const OpenCl& cl, cl_device_id device) {
  cl_platform_id driver = nullptr;
  const cl_int code =
      cl.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof driver, static_cast<void*>(&driver), nullptr);
  return code == CL_SUCCESS ? driver : nullptr;
}

std::string hiding_variables() { return variables_set(kHiding); }

}  // namespace woa
