// Modules, functions and launches.
#include <algorithm>
#include <cstring>
#include <thread>

#include "tests/doubles/cuda/driver/context.h"
#include "tests/doubles/cuda/driver/exports.h"

namespace woa::cuda {
namespace {

using cuda_double::broken;
using cuda_double::ContextState;
using cuda_double::driver;
using cuda_double::enter;
using cuda_double::enter_unless_resident;
using cuda_double::FunctionState;
using cuda_double::Kind;
using cuda_double::memory_map;
using cuda_double::ModuleState;
using cuda_double::options;
using cuda_double::Origin;
using cuda_double::Range;
using cuda_double::StreamState;
using cuda_double::Uses;

constexpr unsigned kStaticSharedLimit = 48 << 10, kSharedLimit = cuda_double::kSharedLimit, kThreadsLimit = 1024;
constexpr std::uint32_t kCapability = 75;

// The newest PTX that a driver of this version reads. Source: PTX ISA, Release Notes.
std::uint32_t newest_ptx(int driver_version) {
  const int major = driver_version / 1000, minor = driver_version % 1000 / 10;
  return static_cast<std::uint32_t>(major >= 11 ? (major - 4) * 10 + minor : 63 + minor);
}

void write_log(unsigned count, const JitOption* names, void* const* values, const std::string& text) {
  char* log = nullptr;
  std::size_t bytes = 0;
  for (unsigned k = 0; k < count; ++k) {
    if (names[k] == kJitErrorLog) log = static_cast<char*>(values[k]);
    if (names[k] == kJitErrorLogBytes) bytes = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[k]));
  }
  if (log == nullptr || bytes == 0) return;
  const std::size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(log, text.data(), length);
  log[length] = '\0';
}

Result refusal_of(const ptx::Module& module, std::string& log) {
  if (options().fail.ptx_version || module.version() > newest_ptx(options().driver)) {
    log = "ptxas application ptx input, line 1; fatal   : Unsupported .version";
    return kUnsupportedPtxVersion;
  }
  if (module.target() > kCapability) {
    log = "ptxas application ptx input, line 1; fatal   : the .target is newer than the device, sm_75";
    return kInvalidPtx;
  }
  return kSuccess;
}

Result place_variables(ModuleState& module) {
  const auto variables = module.code->variables();
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const std::size_t bytes = std::max<std::size_t>(variables[k].initial.size(), 1);
    Range* const range = memory_map().add_device(module.context, bytes, Origin::kVariable);
    if (range == nullptr) return kOutOfMemory;
    module.variables.push_back(range);
    module.code->place(k, range->device);
  }
  for (std::size_t k = 0; k < variables.size(); ++k)
    std::copy(variables[k].initial.begin(), variables[k].initial.end(), module.variables[k]->storage);
  return kSuccess;
}

ModuleState* find_module(std::string_view function, const ContextState* context, Module module, Result& result) {
  return driver().modules.find(module, context, function, result);
}

// The parameter block that `extra` gives. Null: it gives none.
const std::byte* block_of(void* const* extra, std::size_t& bytes) {
  const std::byte* block = nullptr;
  for (; extra != nullptr && *extra != kLaunchEnd; extra += 2) {
    if (extra[0] == kLaunchBuffer) block = static_cast<const std::byte*>(extra[1]);
    if (extra[0] == kLaunchBufferBytes) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  return block;
}

// Memory that the kernel may use, as far as its parameters tell: what their words point to.
void add_uses(const ContextState* context, const ptx::Launch& launch, Uses& uses) {
  for (std::size_t at = 0; at + 8 <= launch.parameters.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, launch.parameters.data() + at, sizeof word);
    if (Range* const range = memory_map().on_device(context, word, 1)) uses.add(range);
  }
}

ptx::Weather weather_of(StreamState& stream) {
  const cuda_double::Ignore& ignore = options().ignore;
  return {.seed = stream.random(),
          .ignored = {.fence = ignore.fence,
                      .acquire = ignore.acquire,
                      .barrier_order = ignore.barrier_order,
                      .barrier = ignore.barrier}};
}

// Ends after 7 s: later than a controller waits for it.
void run_slow(StreamState& stream) {
  stream.context().endless.store(true);
  for (int ms = 0; ms < 7000 && !stream.context().stopped(); ++ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stream.context().mute.store(true);
}

void run_endless(StreamState& stream) {
  stream.context().endless.store(true);
  while (!stream.context().stopped()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void end_of(StreamState& stream, const ptx::Outcome& outcome) {
  switch (outcome.end) {
    case ptx::End::kDone:
    case ptx::End::kStopped: return;
    case ptx::End::kIllegalAddress: return stream.context().fail(kIllegalAddress, outcome.what, stream);
    case ptx::End::kMisaligned: return stream.context().fail(kMisalignedAddress, outcome.what, stream);
    case ptx::End::kTrapped: return stream.context().fail(kLaunchFailed, outcome.what, stream);
  }
}

// A worker, which the header names so, is resident after 50 ms. Any other kernel may be slow, since it is interpreted.
std::chrono::nanoseconds resident_after(const ptx::Launch& launch, std::uint64_t number) {
  const bool stays = launch.entry->name.ends_with("_resident") || number == options().fail.endless;
  return stays ? std::chrono::milliseconds(50) : std::chrono::seconds(5);
}

void run_kernel(StreamState& stream, const ptx::Launch& launch, std::uint64_t number) {
  stream.see_late();
  const cuda_double::Fail& fail = options().fail;
  if (number == fail.illegal_address) return stream.context().fail(kIllegalAddress, "fail=illegal_address", stream);
  if (number == fail.lost) {
    driver().lost.store(true);
    return stream.context().fail(kUnknown, "fail=lost", stream);
  }
  if (options().ignore.launch && stream.random() % 4 == 0) return;
  stream.kernel_begins(resident_after(launch, number));
  if (number == fail.endless) {
    run_endless(stream);
  } else if (number == fail.slow) {
    run_slow(stream);
  } else {
    cuda_double::View memory(&stream.context());
    std::unique_ptr<ptx::LateStores> late;
    end_of(stream, ptx::run(launch, memory, weather_of(stream), stream.context().stop(), &late));
    if (late != nullptr) stream.late()->add(std::move(late));
  }
  stream.kernel_ends();
}

bool fits(const FunctionState& function, const ptx::Launch& launch) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  return threads <= kThreadsLimit && launch.dynamic_shared <= function.most_dynamic_shared.load() &&
         launch.entry->shared_bytes + launch.dynamic_shared <= kSharedLimit;
}

}  // namespace

Result cuModuleLoadDataEx(Module* module, const void* image, unsigned count, JitOption* names, void** values) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuModuleLoadDataEx", context); result != kSuccess) return result;
  if (module == nullptr || image == nullptr) return kInvalidValue;
  woa::Result<std::unique_ptr<ptx::Module>> parsed = ptx::Module::parse(static_cast<const char*>(image));
  if (!parsed.ok()) {
    write_log(count, names, values, parsed.status().message());
    return kInvalidPtx;
  }
  std::string log;
  if (const Result result = refusal_of(**parsed, log); result != kSuccess) {
    write_log(count, names, values, log);
    return result;
  }
  auto state = std::make_unique<ModuleState>();
  state->context = context;
  state->code = std::move(parsed).value();
  if (const Result result = place_variables(*state); result != kSuccess) return result;
  *module = static_cast<Module>(driver().modules.add(std::move(state)));
  return kSuccess;
}

Result cuModuleUnload(Module module) {
  ContextState* context = nullptr;
  if (const Result result = enter_unless_resident("cuModuleUnload", context); result != kSuccess) return result;
  Result result = kSuccess;
  const ModuleState* const state = find_module("cuModuleUnload", context, module, result);
  if (state == nullptr) return result;
  if (state->launches.users.load(std::memory_order_relaxed) != 0)
    return broken("in_use", "cuModuleUnload", "a kernel of this module is queued or running");
  for (Range* range : state->variables) memory_map().remove(range);
  driver().functions.end_all([&](const FunctionState& function) { return function.module == state; });
  driver().modules.end(state);
  return kSuccess;
}

Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  ContextState* context = nullptr;
  Result result = enter("cuModuleGetFunction", context);
  if (result != kSuccess) return result;
  ModuleState* const state = find_module("cuModuleGetFunction", context, module, result);
  if (state == nullptr) return result;
  if (function == nullptr || name == nullptr) return kInvalidValue;
  const ptx::Entry* const entry = state->code->entry(name);
  if (entry == nullptr) return kNotFound;
  auto made = std::make_unique<FunctionState>();
  made->context = context;
  made->module = state;
  made->entry = entry;
  made->most_dynamic_shared.store(kStaticSharedLimit - std::min(kStaticSharedLimit, entry->shared_bytes));
  *function = static_cast<Function>(driver().functions.add(std::move(made)));
  return kSuccess;
}

Result cuModuleGetGlobal_v2(DevicePtr* at, std::size_t* bytes, Module module, const char* name) {
  ContextState* context = nullptr;
  Result result = enter("cuModuleGetGlobal", context);
  if (result != kSuccess) return result;
  const ModuleState* const state = find_module("cuModuleGetGlobal", context, module, result);
  if (state == nullptr) return result;
  if (name == nullptr) return kInvalidValue;
  const auto variables = state->code->variables();
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (variables[k].name != name) continue;
    if (at != nullptr) *at = state->variables[k]->device;
    if (bytes != nullptr) *bytes = variables[k].initial.size();
    return kSuccess;
  }
  return kNotFound;
}

Result cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
  ContextState* context = nullptr;
  Result result = enter("cuFuncGetAttribute", context);
  if (result != kSuccess) return result;
  const FunctionState* const state = driver().functions.find(function, context, "cuFuncGetAttribute", result);
  if (state == nullptr) return result;
  if (value == nullptr) return kInvalidValue;
  switch (attribute) {
    case kFunctionMaxThreads: *value = kThreadsLimit; return kSuccess;
    case kFunctionStaticShared: *value = static_cast<int>(state->entry->shared_bytes); return kSuccess;
    case kFunctionLocal: *value = static_cast<int>(state->entry->local_bytes); return kSuccess;
    case kFunctionMaxDynamicShared: *value = static_cast<int>(state->most_dynamic_shared.load()); return kSuccess;
  }
  return kInvalidValue;
}

Result cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value) {
  ContextState* context = nullptr;
  Result result = enter("cuFuncSetAttribute", context);
  if (result != kSuccess) return result;
  FunctionState* const state = driver().functions.find(function, context, "cuFuncSetAttribute", result);
  if (state == nullptr) return result;
  if (attribute != kFunctionMaxDynamicShared || value < 0 ||
      static_cast<unsigned>(value) + state->entry->shared_bytes > kSharedLimit)
    return kInvalidValue;
  state->most_dynamic_shared.store(static_cast<unsigned>(value));
  return kSuccess;
}

Result cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters,
                      void** extra) {
  ContextState* context = nullptr;
  Result result = enter("cuLaunchKernel", context);
  if (result != kSuccess) return result;
  if (stream == nullptr)
    return broken("legacy_stream", "cuLaunchKernel", "the null stream waits for all others: use a stream of your own");
  const auto* const target = driver().streams_of.find(stream, context, "cuLaunchKernel", result);
  if (target == nullptr) return result;
  const FunctionState* const state = driver().functions.find(function, context, "cuLaunchKernel", result);
  if (state == nullptr) return result;
  std::size_t bytes = 0;
  const std::byte* const block = block_of(extra, bytes);
  if (parameters != nullptr || (block == nullptr && bytes != 0) || bytes != state->entry->parameter_bytes)
    return kInvalidValue;
  ptx::Launch launch{.entry = state->entry,
                     .grid = {grid_x, grid_y, grid_z},
                     .block = {block_x, block_y, block_z},
                     .dynamic_shared = shared_bytes,
                     .parameters = {block, block + bytes}};
  if (std::min({grid_x, grid_y, grid_z, block_x, block_y, block_z}) == 0 || grid_x > 2147483647 || grid_y > 65535 ||
      grid_z > 65535 || block_x > 1024 || block_y > 1024 || block_z > 64)
    return kInvalidValue;
  if (!fits(*state, launch) || ++driver().launch_calls == options().fail.launch) return kLaunchOutOfResources;
  Uses uses;
  uses.add(&state->module->launches);
  add_uses(context, launch, uses);
  const std::uint64_t number = ++driver().launches;
  target->state->push(Kind::kKernel, std::move(uses), [launch = std::move(launch), number](StreamState& self, Uses&) {
    run_kernel(self, launch, number);
  });
  return kSuccess;
}

}  // namespace woa::cuda
