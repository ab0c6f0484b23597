#include "controllers/gpu/cuda/devices.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "controllers/gpu/cuda/version_text.h"
#include "runtime/base/scalar.h"
#include "runtime/base/variables_set.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr int kOldestDriver = 10000;  // CUDA 10.0: cuLaunchHostFunc and PTX 6.3
constexpr int kOldestCapability = 75;
constexpr std::array kDeviceFiles{"nvidiactl", "nvidia-uvm"};

std::string with_hiding(std::string text) {
  const std::string hiding = variables_set(kCudaHidingVariables);
  if (!hiding.empty())
    text += "; the environment sets " + hiding + ", which may hide devices: unset that and try again";
  return text;
}

// Tells why the driver does not start, and what to do. Drivers return the same codes for no device, no module of the
// kernel and no permission.
std::string why_not_awake(cuda::Result code) {
  switch (code) {
    case cuda::kStubLibrary: return "the library is the toolkit's stub: take the folder 'stubs' out of LD_LIBRARY_PATH";
    case cuda::kSystemDriverMismatch:
      return "the library and the kernel's module are of different versions: restart the machine, or in a container "
             "install the host's version";
    default: break;
  }
  const std::string found = code == cuda::kNoDevice ? "the driver finds no device: " : "";
  if (const std::string why = why_no_device_files("/dev"); !why.empty()) return found + why;
  return with_hiding(found + "`nvidia-smi -L` lists those of the machine");
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

std::string why_no_device_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const char* const name : kDeviceFiles) files.push_back(folder / name);
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("nvidia") && parse_digits(std::string_view(name).substr(6))) files.push_back(entry->path());
  }
  if (files.size() == kDeviceFiles.size()) files.push_back(folder / "nvidia0");
  for (const fs::path& file : files) {
    if (::access(file.c_str(), R_OK | W_OK) == 0) continue;
    if (errno == ENOENT)
      return "there is no " + file.string() +
             ": load the kernel's modules (modprobe nvidia nvidia-uvm); in a container, start it with --gpus all";
    return "no permission for " + file.string() + " (" + std::strerror(errno) +
           "): join the group that owns it, or let an administrator allow access";
  }
  return "";
}

Result<std::vector<CudaDevice>> list_cuda_devices(const cuda::Library& cuda) {
  if (const auto code = cuda.init(0); code != cuda::kSuccess) {
    return {Code::kUnavailable,
            "the CUDA driver does not start: " + why_not_awake(code) + "; " + cuda_status("cuInit", code).message()};
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

bool is_taken(const cuda::Library& cuda, const CudaDevice& device) {
  if (!device.is_exclusive) return false;
  cuda::Context context = nullptr;
  const auto code = cuda.context_create(&context, 0, device.id);
  if (code == cuda::kSuccess) cuda.context_destroy(context);
  return code == cuda::kDeviceUnavailable;
}

}  // namespace woa
