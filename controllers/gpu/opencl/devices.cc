#include "controllers/gpu/opencl/devices.h"

#include <algorithm>
#include <array>
#include <string>

#include "controllers/gpu/opencl/driver_fault.h"

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

// The rank of a kind of device in the list; smaller is better.
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

struct DriverDevices {
  cl_int code = CL_SUCCESS;  // result of clGetDeviceIDs
  std::vector<cl_device_id> devices;
};

DriverDevices devices_of(const OpenCl& cl, cl_platform_id platform) {
  cl_uint count = 0;
  DriverDevices found;
  found.code = cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (found.code != CL_SUCCESS) return found;
  found.devices.resize(count);
  found.code = cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, found.devices.data(), nullptr);
  if (found.code != CL_SUCCESS) found.devices.clear();
  return found;
}

// Says why a driver gives nothing to use.
std::string refusal(const OpenCl& cl, cl_platform_id platform, const DriverDevices& found) {
  const std::string driver = "driver '" + driver_name(cl, platform) + "' ";
  if (!found.devices.empty()) return driver + "offers no device that is available and can compile programs";
  return driver + "offers no device (clGetDeviceIDs: " + std::to_string(found.code) + ")";
}

Status no_device(const std::string& what, const std::string& advice) {
  if (const std::string limit = limit_at_hand(); !limit.empty()) return {Code::kExhausted, what + limit};
  const std::string hiding = hiding_variables();
  if (hiding.empty()) return {Code::kUnavailable, what + advice};
  return {Code::kUnavailable,
          what + "; the environment sets " + hiding + ", which may hide drivers or devices: unset that and try again"};
}

}  // namespace

Result<std::vector<OpenClDevice>> list_devices(const OpenCl& cl) {
  cl_uint count = 0;
  const cl_int code = cl.clGetPlatformIDs(0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0)
    return no_device("the OpenCL loader finds no driver", "; install one (pocl-opencl-icd runs on any CPU)");
  std::vector<cl_platform_id> platforms(count);
  if (const cl_int again = cl.clGetPlatformIDs(count, platforms.data(), nullptr); again != CL_SUCCESS) {
    return cl_failure("clGetPlatformIDs", again);
  }
  std::array<std::vector<OpenClDevice>, 3> by_rank;
  std::string refusals;
  for (const cl_platform_id platform : platforms) {
    if (const std::string fault = driver_fault(cl, platform); !fault.empty()) {
      refusals += (refusals.empty() ? "" : "; ") + fault;
      continue;
    }
    const DriverDevices found = devices_of(cl, platform);
    const bool any = std::any_of(found.devices.begin(), found.devices.end(),
                                 [&](const cl_device_id device) { return usable(cl, device); });
    if (!any) refusals += (refusals.empty() ? "" : "; ") + refusal(cl, platform, found);
    for (const cl_device_id device : found.devices) {
      if (!usable(cl, device)) continue;
      const int kind = rank(get<cl_device_type>(cl, device, CL_DEVICE_TYPE, CL_DEVICE_TYPE_CPU));
      by_rank[static_cast<std::size_t>(kind)].push_back(
          {device, {.backend = "opencl", .device = name_of(cl, device), .simulated = kind == 2}});
    }
  }
  std::vector<OpenClDevice> devices;
  for (const auto& kind : by_rank) devices.insert(devices.end(), kind.begin(), kind.end());
  if (devices.empty()) return no_device("no OpenCL driver offers a device to use: " + refusals, "");
  return devices;
}

}  // namespace woa
