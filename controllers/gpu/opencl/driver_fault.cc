#include "controllers/gpu/opencl/driver_fault.h"

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

// PoCL tries the variables in this order.
CacheFolder pocl_cache() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string given = variable("POCL_CACHE_DIR"); !given.empty()) return {given, "POCL_CACHE_DIR"};
  if (const std::string caches = variable("XDG_CACHE_HOME"); !caches.empty())
    return {fs::path(caches) / "pocl" / "kcache", "XDG_CACHE_HOME"};
  if (const std::string home = variable("HOME"); !home.empty())
    return {fs::path(home) / ".cache" / "pocl" / "kcache", "HOME"};
  return {fs::temp_directory_path() / "pocl" / "kcache", "no variable"};
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

}  // namespace

std::string driver_name(const OpenCl& cl, cl_platform_id driver) {
  std::array<char, 256> name{};
  if (cl.clGetPlatformInfo(driver, CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr) != CL_SUCCESS)
    return "unnamed";
  return name.data();
}

std::string driver_fault(const OpenCl& cl, cl_platform_id driver) {
  if (driver_name(cl, driver) != kPocl) return "";
  const CacheFolder cache = pocl_cache();
  const std::string reason = why_not_writable(cache.path);
  if (reason.empty()) return "";
  return "PoCL's cache folder " + cache.path.string() + " (from " + cache.origin + ") cannot be written: " + reason +
         "; set POCL_CACHE_DIR to a folder that can be written";
}

cl_platform_id driver_of(const OpenCl& cl, cl_device_id device) {
  cl_platform_id driver = nullptr;
  const cl_int code =
      cl.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof driver, static_cast<void*>(&driver), nullptr);
  return code == CL_SUCCESS ? driver : nullptr;
}

std::string hiding_variables() { return variables_set(kHiding); }

}  // namespace woa
