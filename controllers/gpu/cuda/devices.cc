#include "controllers/gpu/cuda/devices.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/base/variables_set.h"

namespace woa {
namespace {

constexpr int kOldestDriver = 10000;  // CUDA 10.0: cuLaunchHostFunc and PTX 6.3
constexpr int kOldestCapability = 75;
constexpr std::array kHiding{"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"};
constexpr std::array kDeviceFiles{"/dev/nvidiactl", "/dev/nvidia-uvm"};  // and /dev/nvidia0, ...
constexpr int kMostDeviceFiles = 32;

std::string with_hiding(std::string text) {
  const std::string hiding = variables_set(kHiding);
  if (!hiding.empty())
    text += "; the environment sets " + hiding + ", which may hide devices: unset that and try again";
  return text;
}

// Why the driver cannot use the device files; empty if it can.
std::string why_not_opened() {
  const auto exists = [](const std::string& file) { return ::access(file.c_str(), F_OK) == 0; };
  std::vector<std::string> files(kDeviceFiles.begin(), kDeviceFiles.end());
  for (int k = 0; k < kMostDeviceFiles; ++k)
    if (std::string file = "/dev/nvidia" + std::to_string(k); exists(file)) files.push_back(std::move(file));
  if (files.size() == kDeviceFiles.size()) files.emplace_back("/dev/nvidia0");
  for (const std::string& file : files) {
    if (!exists(file))
      return "there is no " + file +
             ": load the kernel's modules (modprobe nvidia nvidia-uvm); in a container, start it with --gpus all";
    if (::access(file.c_str(), R_OK | W_OK) != 0)
      return "no permission for " + file + " (" + std::strerror(errno) +
             "): join the group that owns it, or let an administrator allow access";
  }
  return "";
}

// Tells why the driver does not start, and what to do. Real drivers find no device, too, where they cannot open it.
std::string why_not_awake(cuda::Result code) {
  switch (code) {
    case cuda::kStubLibrary: return "the library is the toolkit's stub: take the folder 'stubs' out of LD_LIBRARY_PATH";
    case cuda::kSystemDriverMismatch:
      return "the library and the kernel's module are of different versions: restart the machine, or in a container "
             "install the host's version";
    default: break;
  }
  const std::string finding = code == cuda::kNoDevice ? "the driver finds no device: " : "";
  if (const std::string why = why_not_opened(); !why.empty()) return finding + why;
  return with_hiding(finding + "run `nvidia-smi -L`, which lists those of the machine, or tells more");
}

int attribute(const cuda::Library& cuda, cuda::Device device, cuda::DeviceAttribute which) {
  int value = 0;
  return cuda.device_attribute(&value, which, device) == cuda::kSuccess ? value : 0;
}

std::string device_name(const cuda::Library& cuda, cuda::Device device) {
  std::array<char, 256> name{};
  if (cuda.device_name(name.data(), static_cast<int>(name.size()) - 1, device) != cuda::kSuccess) return "unnamed";
  std::string text = name.data();
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');  // one line per device in a report
  return text;
}

CudaDevice describe(const cuda::Library& cuda, cuda::Device id, int driver) {
  const auto has = [&](cuda::DeviceAttribute which) { return attribute(cuda, id, which) != 0; };
  CudaDevice device;
  device.id = id;
  device.driver = driver;
  device.description = {.backend = "cuda", .device = device_name(cuda, id), .publishes = "worker"};
  // The double of our tests says in its name what it is.
  device.description.simulated = device.description.device.find("double") != std::string::npos;
  device.capability = 10 * attribute(cuda, id, cuda::kCapabilityMajor) + attribute(cuda, id, cuda::kCapabilityMinor);
  device.most_blocks = {attribute(cuda, id, cuda::kMaxGridX), attribute(cuda, id, cuda::kMaxGridY),
                        attribute(cuda, id, cuda::kMaxGridZ)};
  device.most_shared_bytes = attribute(cuda, id, cuda::kMaxSharedPerBlockOptIn);
  device.multiprocessors = attribute(cuda, id, cuda::kMultiprocessors);
  device.is_exclusive = attribute(cuda, id, cuda::kComputeMode) == cuda::kComputeModeExclusive;
  device.has_time_limit = has(cuda::kKernelExecTimeout);
  device.writes_words = cuda.stream_write_value != nullptr && has(cuda::k64BitMemOps);
  device.registers_memory = has(cuda::kHostRegisterSupported);
  return device;
}

// Why a device cannot be used; empty if it can.
std::string refusal_of(const cuda::Library& cuda, const CudaDevice& device) {
  const std::string name = "'" + device.description.device + "' ";
  if (attribute(cuda, device.id, cuda::kComputeMode) == cuda::kComputeModeProhibited)
    return name + "is in the mode 'prohibited': an administrator allows its use by `nvidia-smi -c DEFAULT`";
  if (device.capability < kOldestCapability)
    return name + "is of sm_" + std::to_string(device.capability) + ", and kernels are compiled for sm_" +
           std::to_string(kOldestCapability) + " and newer";
  if (attribute(cuda, device.id, cuda::kUnifiedAddressing) == 0)
    return name + "shares no addresses with the host (unified addressing)";
  return "";
}

}  // namespace

Result<std::vector<CudaDevice>> list_cuda_devices(const cuda::Library& cuda) {
  if (const auto code = cuda.init(0); code != cuda::kSuccess) {
    return {Code::kUnavailable,
            "the CUDA driver does not start: " + why_not_awake(code) + "; " + cuda_failure("cuInit", code).message()};
  }
  int driver = 0, count = 0;
  WOA_RETURN_IF_ERROR(cuda_status("cuDriverGetVersion", cuda.driver_version(&driver)));
  if (driver < kOldestDriver)
    return {Code::kUnavailable, "the driver is for CUDA " + cuda_version_text(driver) + ", and kernels need " +
                                    cuda_version_text(kOldestDriver) + " or newer; install a newer driver"};
  WOA_RETURN_IF_ERROR(cuda_status("cuDeviceGetCount", cuda.device_count(&count)));
  std::vector<CudaDevice> devices;
  std::string refusals;
  for (int k = 0; k < count; ++k) {
    cuda::Device id = 0;
    WOA_RETURN_IF_ERROR(cuda_status("cuDeviceGet", cuda.device(&id, k)));
    CudaDevice device = describe(cuda, id, driver);
    const std::string refusal = refusal_of(cuda, device);
    if (refusal.empty())
      devices.push_back(std::move(device));
    else
      refusals += (refusals.empty() ? "" : "; ") + refusal;
  }
  if (!devices.empty()) return devices;
  if (count == 0) return {Code::kUnavailable, why_not_awake(cuda::kNoDevice)};
  return {Code::kUnavailable, "no CUDA device can be used: " + refusals};
}

}  // namespace woa
