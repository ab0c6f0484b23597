#include "controllers/gpu/cuda/cuda_stage.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/gpu/cuda/stage_ptx.h"
#include "kernels/woa_cuda.h"
#include "runtime/base/quantities.h"

namespace woa {
namespace {

constexpr std::string_view kCudaVariant = find_backend("cuda")->variant;
constexpr std::uint64_t kSharedByDefault = 48 << 10;  // more is asked for

Result<cuda::Ptx> read_ptx(const CudaDevice& device, const LoadedStage& stage) {
  return cuda::stage_ptx(
      source_path(stage),
      {device.capability, device.driver, cuda::ptx_cache_folder(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"))});
}

Status why_not_loaded(const cuda::Ptx& ptx, cuda::Result code, const std::string& log) {
  const Status failure = cuda_status("cuModuleLoadDataEx", code);
  if (code == cuda::kJitCompilerNotFound)
    return {Code::kUnavailable, ptx.file +
                                    " cannot be compiled: the driver's library libnvidia-ptxjitcompiler.so.1 "
                                    "is missing; install the whole driver. " +
                                    failure.message()};
  return {failure.code() == Code::kKernelFailed ? Code::kInvalid : failure.code(),
          ptx.file + " does not load: " + failure.message() + (log.empty() ? "" : "\n" + log)};
}

Status load_module(const CudaContext& context, const cuda::Ptx& ptx, CudaStage& made) {
  const cuda::Library& cuda = context.cuda();
  std::array<char, 8192> log{};
  std::array names{cuda::kJitErrorLog, cuda::kJitErrorLogBytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  cuda::Module module = nullptr;
  const auto code =
      cuda.module_load(&module, ptx.text.c_str(), static_cast<unsigned>(names.size()), names.data(), values.data());
  if (code != cuda::kSuccess) return why_not_loaded(ptx, code, log.data());
  made.module = {module, cuda.module_unload};
  return {};
}

Result<cuda::Function> find_function(const cuda::Library& cuda, const cuda::Ptx& ptx, const CudaStage& made,
                                     const std::string& name) {
  cuda::Function function = nullptr;
  const auto code = cuda.module_function(&function, made.module.get(), name.c_str());
  if (code == cuda::kSuccess) return function;
  if (code != cuda::kNotFound) return cuda_status("cuModuleGetFunction", code);
  return {Code::kInvalid, ptx.file + " has no kernel '" + name + "'; write it with WOA_KERNEL(" +
                              made.stage.plan->variant.entry + ", ...) of woa_cuda.h, and compile it again"};
}

// The kernel says which version of woa_cuda.h made it, and how many words its arguments are.
Status check_abi(const cuda::Library& cuda, const cuda::Ptx& ptx, CudaStage& made) {
  const std::string name = made.stage.plan->variant.entry + "_abi";
  cuda::DevicePtr at = 0;
  std::size_t bytes = 0;
  std::array<std::uint32_t, 2> found{};
  if (cuda.module_global(&at, &bytes, made.module.get(), name.c_str()) != cuda::kSuccess || bytes != sizeof found)
    return {Code::kInvalid, ptx.file + " has no '" + name +
                                "', which WOA_KERNEL of woa_cuda.h makes; write the kernel "
                                "with it"};
  WOA_RETURN_IF_ERROR(cuda_status("cuMemcpyDtoH", cuda.copy_to_host(found.data(), at, sizeof found)));
  if (found[0] != WOA_CUDA_ABI)
    return {Code::kInvalid, ptx.file + " was compiled with version " + std::to_string(found[0]) +
                                " of woa_cuda.h, and this program has version " + std::to_string(WOA_CUDA_ABI) +
                                "; compile it again"};
  // An address and a size are a word each, dimensions are two.
  const std::size_t ports = made.stage.plan->inputs.size() + made.stage.plan->outputs.size();
  made.words = static_cast<std::uint32_t>(WOA_CUDA_WORK_WORDS + 4 * ports + made.int_params.size());
  if (found[1] == made.words) return {};
  return {Code::kInvalid, "kernel '" + made.stage.plan->variant.entry + "' of " + ptx.file + " takes " +
                              std::to_string(found[1]) + " words, expected " + std::to_string(made.words) +
                              ": the work's extents (3), then data, bytes and dims (4) of each of " +
                              std::to_string(ports) + " ports, then " + std::to_string(made.int_params.size()) +
                              " parameters of type int, or of type string with choices"};
}

// The stack that the kernel needs: a launch that needs more than the one before would wait for all that runs.
Status keep_stack(const cuda::Library& cuda, cuda::Function function) {
  int bytes = 0;
  std::size_t now = 0;
  WOA_RETURN_IF_ERROR(
      cuda_status("cuFuncGetAttribute", cuda.function_attribute(&bytes, cuda::kFunctionLocal, function)));
  WOA_RETURN_IF_ERROR(cuda_status("cuCtxGetLimit", cuda.context_limit(&now, cuda::kLimitStackSize)));
  const auto needed = static_cast<std::size_t>(bytes);
  if (needed <= now) return {};
  return cuda_status("cuCtxSetLimit of " + bytes_text(needed) + " of stack",
                     cuda.context_set_limit(cuda::kLimitStackSize, needed));
}

// The kernel's own shared memory counts, too.
Status ask_for_shared(const cuda::Library& cuda, const CudaDevice& device, const CudaStage& made,
                      cuda::Function function) {
  int own = 0;
  WOA_RETURN_IF_ERROR(
      cuda_status("cuFuncGetAttribute", cuda.function_attribute(&own, cuda::kFunctionStaticShared, function)));
  const std::uint64_t bytes = std::uint64_t{made.shared_bytes} + static_cast<std::uint64_t>(own);
  const std::uint64_t most = std::max(kSharedByDefault, static_cast<std::uint64_t>(device.most_shared_bytes));
  if (bytes > most)
    return {Code::kInvalid, "`shared` is " + bytes_text(made.shared_bytes) + ", the kernel has " +
                                bytes_text(static_cast<std::uint64_t>(own)) + " of its own, and the device gives " +
                                bytes_text(most) + " to a block; give a smaller `shared`"};
  if (bytes <= kSharedByDefault) return {};
  return cuda_status(
      "cuFuncSetAttribute for " + bytes_text(made.shared_bytes) + " of `shared` memory",
      cuda.function_set_attribute(function, cuda::kFunctionMaxDynamicShared, static_cast<int>(made.shared_bytes)));
}

Status check_block(const cuda::Library& cuda, const CudaDevice& device, const CudaStage& made,
                   cuda::Function function) {
  int most = 0;
  WOA_RETURN_IF_ERROR(
      cuda_status("cuFuncGetAttribute", cuda.function_attribute(&most, cuda::kFunctionMaxThreads, function)));
  const std::uint64_t threads = std::uint64_t{made.block[0]} * made.block[1] * made.block[2];
  if (threads > static_cast<std::uint64_t>(most))
    return {Code::kInvalid, "`block` is of " + std::to_string(threads) + " threads, and the device runs at most " +
                                std::to_string(most) + " of this kernel; give a smaller one"};
  WOA_RETURN_IF_ERROR(keep_stack(cuda, function));
  return ask_for_shared(cuda, device, made, function);
}

void set_block(const CudaDevice& device, CudaStage& made) {
  const VariantPlan& variant = made.stage.plan->variant;
  for (std::size_t d = 0; d < 3; ++d) made.most_blocks[d] = static_cast<std::uint32_t>(device.most_blocks[d]);
  made.shared_bytes = variant.shared_bytes;
  std::copy_n(variant.block.begin(), std::min<std::size_t>(variant.block.size(), 3), made.block.begin());
}

Status find_entries(const CudaContext& context, const CudaDevice& device, const cuda::Ptx& ptx, CudaStage& made) {
  const cuda::Library& cuda = context.cuda();
  const VariantPlan& variant = made.stage.plan->variant;
  WOA_RETURN_IF_ERROR(load_module(context, ptx, made));
  const auto launched = find_function(cuda, ptx, made, variant.entry);
  if (!launched.ok()) return launched.status();
  made.launched = *launched;
  WOA_RETURN_IF_ERROR(check_abi(cuda, ptx, made));
  set_block(device, made);
  WOA_RETURN_IF_ERROR(check_block(cuda, device, made, made.launched));
  if (!variant.resident) return {};
  const auto resident = find_function(cuda, ptx, made, variant.entry + "_resident");
  if (!resident.ok()) return resident.status();
  made.resident = *resident;
  return check_block(cuda, device, made, made.resident);
}

}  // namespace

Result<CudaStage> load_cuda_stage(const CudaContext& context, const CudaDevice& device, const LoadedStage& stage) {
  const std::string place = "stage '" + stage.plan->name + "'";
  auto common = GpuStage::make(stage, kCudaVariant, std::numeric_limits<std::uint64_t>::max());
  if (!common.ok()) return common.status().with_context(place);
  const Result<cuda::Ptx> ptx = read_ptx(device, stage);
  if (!ptx.ok()) return ptx.status().with_context(place);
  CudaStage made;
  static_cast<GpuStage&>(made) = std::move(*common);
  if (Status status = find_entries(context, device, *ptx, made); !status.ok()) return status.with_context(place);
  return made;
}

Status CudaStage::size(Firing& firing) const {
  WOA_RETURN_IF_ERROR(size_outputs(firing));
  std::array<std::size_t, 3> work{1, 1, 1};
  if (!work_of(firing, work)) return {};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t most = std::uint64_t{block[d]} * most_blocks[d];
    if (work[d] > most)
      return {Code::kTooLarge, "extent " + std::to_string(d) + " of `global` is " + std::to_string(work[d]) +
                                   ", and the device takes " + std::to_string(most) + " with blocks of " +
                                   std::to_string(block[d]) +
                                   " threads there; give that dimension a larger `block`, or list it "
                                   "first in `global`"};
  }
  return {};
}

std::array<std::uint32_t, 3> CudaStage::blocks(std::span<const std::uint64_t> firing_words) const noexcept {
  std::array<std::uint32_t, 3> count{};
  for (std::size_t d = 0; d < 3; ++d)
    count[d] = static_cast<std::uint32_t>((firing_words[d] + block[d] - 1) / block[d]);
  return count;
}

void CudaStage::write_words(const Firing& firing, std::span<const cuda::DevicePtr> ports,
                            std::span<std::uint64_t> to) const noexcept {
  std::array<std::size_t, 3> work{1, 1, 1};
  if (!work_of(firing, work)) work.fill(0);
  std::uint64_t* word = std::copy(work.begin(), work.end(), to.data());
  auto put_port = [&, port = std::size_t{0}](std::uint64_t bytes, const std::uint32_t* dims) mutable {
    *word++ = ports[port++];
    *word++ = bytes;
    *word++ = dims[0] | std::uint64_t{dims[1]} << 32;
    *word++ = dims[2] | std::uint64_t{dims[3]} << 32;
  };
  for (const woa_input& input : firing.inputs) put_port(input.bytes, input.dims);
  for (const woa_output& output : firing.outputs) put_port(output.bytes, output.dims);
  for (const std::int32_t param : int_params) *word++ = static_cast<std::uint64_t>(std::int64_t{param});
}

}  // namespace woa
