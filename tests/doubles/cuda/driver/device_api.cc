// Loading, devices and contexts.
#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "tests/doubles/cuda/driver/context.h"
#include "tests/doubles/cuda/driver/exports.h"

namespace woa::cuda {
namespace {

using cuda_double::broken;
using cuda_double::ContextState;
using cuda_double::driver;
using cuda_double::enter;
using cuda_double::enter_unless_resident;
using cuda_double::options;

constexpr char kDeviceName[] = "Test double of a CUDA device (PTX interpreted)";

// The statuses of cuGetProcAddress_v2.
constexpr int kFound = 0, kSymbolNotFound = 1, kVersionNotSufficient = 2;

struct Symbol {
  const char* name;
  int version;
  void* function;
};

const Symbol* find_symbol(std::string_view name) {
#define WOA_SYMBOL(member, symbol, base, version, parameters) {base, version, reinterpret_cast<void*>(&symbol)},
  static const Symbol symbols[] = {WOA_CUDA_FUNCTIONS(WOA_SYMBOL) WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_SYMBOL)};
#undef WOA_SYMBOL
  for (const Symbol& symbol : symbols)
    if (symbol.name == name) return &symbol;
  return nullptr;
}

// The version from which a real driver answers with a function of other arguments, which the double does not have.
int replaced_from(std::string_view name) {
  if (name == "cuCtxCreate") return 11040;
  if (name == "cuEventElapsedTime") return 12080;
  return 1 << 30;
}

Result check_device(std::string_view function, Device device) {
  if (const Result result = enter(function); result != kSuccess) return result;
  return device < 0 || device >= options().devices ? kInvalidDevice : kSuccess;
}

int attribute_of(DeviceAttribute attribute) {
  switch (attribute) {
    case kMaxThreadsPerBlock: return 1024;
    case kMaxGridX: return 2147483647;
    case kMaxGridY:
    case kMaxGridZ: return 65535;
    case kMaxSharedPerBlock: return 48 << 10;
    case kMaxSharedPerBlockOptIn: return cuda_double::kSharedLimit;
    case kMultiprocessors: return options().sms;
    case kKernelExecTimeout: return options().time_limit ? 1 : 0;
    case kComputeMode:
      return options().prohibited ? kComputeModeProhibited : options().exclusive ? kComputeModeExclusive : 0;
    case kConcurrentKernels:
    case kUnifiedAddressing:
    case kHostRegisterSupported: return 1;
    case kCapabilityMajor: return 7;
    case kCapabilityMinor: return 5;
    case kReadOnlyHostRegister: return options().no_read_only ? 0 : 1;
    case k64BitMemOps: return options().no_memops ? 0 : 1;
  }
  return -1;
}

}  // namespace

Result cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t, int* status) {
  if (cuda_double::in_host_function) return enter("cuGetProcAddress_v2");
  if (symbol == nullptr || function == nullptr || version > options().driver) return kInvalidValue;
  *function = nullptr;
  const Symbol* const found = find_symbol(symbol);
  int answer = kFound;
  if (found == nullptr || found->version > options().driver ||
      (options().no_memops && std::strcmp(symbol, "cuStreamWriteValue64") == 0)) {
    answer = kSymbolNotFound;
  } else if (version < found->version) {
    answer = kVersionNotSufficient;
  } else if (version >= replaced_from(symbol)) {
    return broken("version", symbol, "a driver has a function of other arguments from this version on");
  } else {
    *function = found->function;
  }
  if (status != nullptr) *status = answer;
  return kSuccess;
}

Result cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags) {
  int status = kFound;
  const Result result = cuGetProcAddress_v2(symbol, function, version, flags, &status);
  return result == kSuccess && status != kFound ? kNotFound : result;
}

// NVRTC asks for it, and crashes if a driver lacks the function.
Result cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return kNotFound;
}

Result cuInit(unsigned flags) {
  if (cuda_double::in_host_function) return enter("cuInit");
  if (driver().forked.load()) return kNotInitialized;
  if (flags != 0) return kInvalidValue;
  if (options().init != kSuccess) return options().init;
  if (options().devices == 0) return kNoDevice;
  if (driver().initialized.exchange(true)) return kSuccess;
  pthread_atfork([] { (void)cuda_double::broken("fork", "fork", "a process that has woken the driver must not fork"); },
                 nullptr, [] { driver().forked.store(true); });
  std::atexit(&cuda_double::end_process);
  return kSuccess;
}

Result cuDriverGetVersion(int* version) {
  if (cuda_double::in_host_function) return enter("cuDriverGetVersion");
  if (version == nullptr) return kInvalidValue;
  *version = options().driver;
  return kSuccess;
}

Result cuDeviceGetCount(int* count) {
  if (const Result result = enter("cuDeviceGetCount"); result != kSuccess) return result;
  if (count == nullptr) return kInvalidValue;
  *count = options().devices;
  return kSuccess;
}

Result cuDeviceGet(Device* device, int ordinal) {
  if (const Result result = check_device("cuDeviceGet", ordinal); result != kSuccess) return result;
  if (device == nullptr) return kInvalidValue;
  *device = ordinal;
  return kSuccess;
}

Result cuDeviceGetName(char* name, int bytes, Device device) {
  if (const Result result = check_device("cuDeviceGetName", device); result != kSuccess) return result;
  if (name == nullptr || bytes <= 0) return kInvalidValue;
  std::strncpy(name, kDeviceName, static_cast<std::size_t>(bytes));
  name[bytes - 1] = '\0';
  return kSuccess;
}

Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute, Device device) {
  if (const Result result = check_device("cuDeviceGetAttribute", device); result != kSuccess) return result;
  const int found = attribute_of(attribute);
  if (value == nullptr || found < 0) return kInvalidValue;
  *value = found;
  return kSuccess;
}

Result cuDeviceTotalMem_v2(std::size_t* bytes, Device device) {
  if (const Result result = check_device("cuDeviceTotalMem", device); result != kSuccess) return result;
  if (bytes == nullptr) return kInvalidValue;
  *bytes = options().memory_bytes;
  return kSuccess;
}

Result cuCtxCreate_v2(Context* context, unsigned, Device device) {
  if (const Result result = check_device("cuCtxCreate", device); result != kSuccess) return result;
  if (context == nullptr) return kInvalidValue;
  if (options().exclusive || options().prohibited) return kDeviceUnavailable;
  if (driver().lost.load()) return kUnknown;
  auto state = std::make_unique<ContextState>();
  cuda_double::current_context = state.get();
  *context = static_cast<Context>(driver().contexts.add(std::move(state)));
  return kSuccess;
}

// The stack has no effect here: its size is kept, so that a test can ask for it.
Result cuCtxGetLimit(std::size_t* value, Limit limit) {
  ContextState* context = nullptr;
  if (const Result result = enter("cuCtxGetLimit", context); result != kSuccess) return result;
  if (value == nullptr || limit != kLimitStackSize) return kInvalidValue;
  *value = context->stack_bytes.load();
  return kSuccess;
}

Result cuCtxSetLimit(Limit limit, std::size_t value) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuCtxSetLimit", context); result != kSuccess) return result;
  if (limit != kLimitStackSize) return kInvalidValue;
  context->stack_bytes.store(value);
  return kSuccess;
}

Result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  ContextState* context = nullptr;
  if (const Result result = enter("cuCtxGetStreamPriorityRange", context); result != kSuccess) return result;
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -1;
  return kSuccess;
}

Result cuCtxSetCurrent(Context context) {
  Result result = enter("cuCtxSetCurrent");
  if (result != kSuccess) return result;
  ContextState* state = nullptr;
  if (context != nullptr) {
    state = driver().contexts.find(context, nullptr, "cuCtxSetCurrent", result);
    if (state == nullptr) return result;
  }
  cuda_double::current_context = state;
  return kSuccess;
}

Result cuCtxDestroy_v2(Context context) {
  Result result = enter("cuCtxDestroy");
  if (result != kSuccess) return result;
  ContextState* const state = driver().contexts.find(context, nullptr, "cuCtxDestroy", result);
  if (state == nullptr) return result;
  result = state->error();
  if (result == kSuccess) {
    if (state->resident()) return broken("resident", "cuCtxDestroy", "a kernel that stays is running: end it first");
    if (const std::string leaks = leaks_of(*state); !leaks.empty()) return broken("leak", "cuCtxDestroy", leaks);
  }
  driver().contexts.end(state);
  state->end(result != kSuccess);
  end_objects_of(*state);
  if (cuda_double::current_context == state) cuda_double::current_context = nullptr;
  return result;
}

}  // namespace woa::cuda
