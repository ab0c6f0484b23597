#include "controllers/gpu/opencl/devices.h"

#include <algorithm>
#include <array>
#include <string>

namespace woa {
namespace {

template <class T>
T get(const OpenCl& cl, cl_device_id device, cl_device_info what, T otherwise) {
  T value{};
  return cl.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

bool usable(const OpenCl& cl, cl_device_id device) {
  return get<cl_bool>(cl, device, CL_DEVICE_AVAILABLE, CL_FALSE) == CL_TRUE &&
         get<cl_bool>(cl, device, CL_DEVICE_COMPILER_AVAILABLE, CL_FALSE) == CL_TRUE &&
         get<cl_bool>(cl, device, CL_DEVICE_ENDIAN_LITTLE, CL_FALSE) == CL_TRUE;
}

// The place of a kind of device in the list; smaller is better.
int rank(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return 0;
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return 1;
  return 2;
}

std::string name_of(const OpenCl& cl, cl_device_id device) {
  std::array<char, 256> name{};
  if (cl.clGetDeviceInfo(device, CL_DEVICE_NAME, name.size() - 1, name.data(), nullptr) != CL_SUCCESS) return "unnamed";
  std::string text = name.data();
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');  // one line per device in a report
  return text;
}

std::vector<cl_device_id> devices_of(const OpenCl& cl, cl_platform_id platform) {
  cl_uint count = 0;
  if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) != CL_SUCCESS) return {};
  return devices;
}

}  // namespace

Result<std::vector<OpenClDevice>> list_devices(const OpenCl& cl) {
  cl_uint count = 0;
  const cl_int code = cl.clGetPlatformIDs(0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0)
    return {Code::kUnavailable, "the OpenCL loader finds no driver; install one (pocl-opencl-icd runs on any CPU)"};
  std::vector<cl_platform_id> platforms(count);
  if (const cl_int again = cl.clGetPlatformIDs(count, platforms.data(), nullptr); again != CL_SUCCESS) {
    return cl_failure("clGetPlatformIDs", again);
  }
  std::array<std::vector<OpenClDevice>, 3> by_rank;
  for (const cl_platform_id platform : platforms) {
    for (const cl_device_id device : devices_of(cl, platform)) {
      if (!usable(cl, device)) continue;
      const int kind = rank(get<cl_device_type>(cl, device, CL_DEVICE_TYPE, CL_DEVICE_TYPE_CPU));
      by_rank[static_cast<std::size_t>(kind)].push_back(
          {device, {.backend = "opencl", .device = name_of(cl, device), .simulated = kind == 2}});
    }
  }
  std::vector<OpenClDevice> devices;
  for (const auto& kind : by_rank) devices.insert(devices.end(), kind.begin(), kind.end());
  if (devices.empty()) return {Code::kUnavailable, "no OpenCL driver offers a device that can compile programs"};
  return devices;
}

}  // namespace woa
