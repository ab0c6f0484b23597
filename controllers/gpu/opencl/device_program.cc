#include "controllers/gpu/opencl/device_program.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/gpu/opencl/driver_fault.h"

namespace woa {
namespace {

constexpr const char* kOptions = "-cl-std=CL1.2";
constexpr std::string_view kHeader =
#include "controllers/gpu/woa_cuda_header.inc"
    ;
constexpr std::string_view kInclude = "#include \"woa_cuda.h\"\n";
constexpr std::string_view kVariant = find_backend("opencl")->variant;
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();  // the `bytes` argument is a uint

std::string build_log(const OpenCl& cl, cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  if (cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) != CL_SUCCESS)
    return "no log";
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

// The source with the header in the place of its include, since drivers find none of our files.
std::string with_header(std::string source) {
  const std::size_t at = source.find(kInclude);
  if (at == std::string::npos || (at != 0 && source[at - 1] != '\n')) return source;
  const auto line = std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 2;
  return source.replace(at, kInclude.size(), std::string(kHeader) + "#line " + std::to_string(line) + "\n");
}

Status build(const OpenCl& cl, cl_context context, cl_device_id device, const std::string& source,
             DeviceProgram& made) {
  const VariantPlan& variant = made.stage.plan->variant;
  const std::string whole = with_header(source);
  const char* text = whole.c_str();
  cl_int code = CL_SUCCESS;
  made.program = {cl.clCreateProgramWithSource(context, 1, &text, nullptr, &code), {cl.clReleaseProgram}};
  if (code != CL_SUCCESS) return cl_failure("clCreateProgramWithSource", code);
  code = cl.clBuildProgram(made.program.get(), 1, &device, kOptions, nullptr, nullptr);
  if (code != CL_SUCCESS) {
    // A driver that cannot work blames the source.
    if (const std::string fault = driver_fault(cl, driver_of(cl, device)); !fault.empty())
      return {Code::kUnavailable,
              variant.source + " was not built (clBuildProgram: " + std::to_string(code) + "): " + fault};
    return {Code::kInvalid, variant.source + " does not build with " + kOptions + " (clBuildProgram: " +
                                std::to_string(code) + "):\n" + build_log(cl, made.program.get(), device)};
  }
  made.kernel = {cl.clCreateKernel(made.program.get(), variant.entry.c_str(), &code), {cl.clReleaseKernel}};
  if (code == CL_SUCCESS) return {};
  return {Code::kInvalid, variant.source + " has no kernel function '" + variant.entry +
                              "' (clCreateKernel: " + std::to_string(code) + ")"};
}

Status check_arguments(const OpenCl& cl, const DeviceProgram& made) {
  cl_uint count = 0;
  if (const cl_int code = cl.clGetKernelInfo(made.kernel.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
      code != CL_SUCCESS) {
    return cl_failure("clGetKernelInfo", code);
  }
  if (count == made.arguments()) return {};
  const VariantPlan& variant = made.stage.plan->variant;
  return {Code::kInvalid, "function '" + variant.entry + "' of " + variant.source + " has " + std::to_string(count) +
                              " arguments, expected " + std::to_string(made.arguments()) +
                              ": data, bytes and dims of every port, then " + std::to_string(made.int_params.size()) +
                              " parameters of type int, or of type string with choices"};
}

}  // namespace

Result<DeviceProgram> build_stage(const OpenCl& cl, cl_context context, cl_device_id device, const LoadedStage& stage) {
  const std::string place = "stage '" + stage.plan->name + "'";
  auto common = GpuStage::make(stage, kVariant, kMostBytes);
  if (!common.ok()) return common.status().with_context(place);
  const Result<std::string> source = read_source(stage);
  if (!source.ok()) return source.status().with_context(place);
  DeviceProgram made{std::move(*common), {}, {}};
  if (Status status = build(cl, context, device, *source, made); !status.ok()) return status.with_context(place);
  if (Status status = check_arguments(cl, made); !status.ok()) return status.with_context(place);
  return made;
}

}  // namespace woa
