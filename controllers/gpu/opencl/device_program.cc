#include "controllers/gpu/opencl/device_program.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/gpu/opencl/driver_fault.h"
#include "runtime/base/scalar.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOptions = "-cl-std=CL1.2";
constexpr std::string_view kVariant = find_backend("opencl")->variant;

Status check_stage(const LoadedStage& stage) {
  const StagePlan& plan = *stage.plan;
  const std::string kernel = "kernel '" + plan.kernel + "'";
  if (plan.variant.kind != kVariant)
    return {Code::kUnsupported, kernel + " has no opencl variant to run as '" + plan.variant.kind + "'"};
  if (stage.kernel == nullptr || stage.kernel->size == nullptr) {
    return {Code::kUnsupported, kernel + ": an opencl variant needs the library's size function"};
  }
  const auto chooses = [](const OutputPortPlan& port) { return port.one_of >= 0 || port.optional || port.many != 0; };
  const auto optional = [](const InputPortPlan& port) { return port.optional || port.gather != 0; };
  if (plan.stateful != Stateful::kNo || std::any_of(plan.outputs.begin(), plan.outputs.end(), chooses) ||
      std::any_of(plan.inputs.begin(), plan.inputs.end(), optional)) {
    return {Code::kUnsupported, kernel +
                                    ": an opencl variant can neither keep state, nor choose between outputs, nor "
                                    "have optional ports; use the cpu variant"};
  }
  return {};
}

Result<std::string> read_source(const LoadedStage& stage) {
  const fs::path folder =
      stage.folder.empty() ? fs::path(stage.plan->kernel_file).parent_path() : fs::path(stage.folder);
  const fs::path path = folder / stage.plan->variant.source;
  std::ifstream file(path, std::ios::binary);
  if (!file) return {Code::kNotFound, "cannot read the OpenCL source " + path.string()};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string build_log(const OpenCl& cl, cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  if (cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) != CL_SUCCESS)
    return "no log";
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

Status build(const OpenCl& cl, cl_context context, cl_device_id device, const std::string& source,
             DeviceProgram& made) {
  const VariantPlan& variant = made.stage.plan->variant;
  const char* text = source.c_str();
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

// A plan spells every value of type int in digits (normal_value()).
Result<cl_int> as_int(const ParamPlan& param) {
  const auto value = parse_signed(param.value);
  if (value && std::in_range<cl_int>(*value)) return static_cast<cl_int>(*value);
  return {Code::kInvalid, "parameter '" + param.name + "' is " + param.value +
                              ", and an opencl variant takes ints of 32 bits, from -2147483648 to 2147483647; give a "
                              "smaller value, or run the stage on a cpu"};
}

// The function's last arguments, in order: parameters of type int, and choices by number. Secrets stay with the
// library.
Status bind_params(const OpenCl& cl, DeviceProgram& made) {
  const StagePlan& plan = *made.stage.plan;
  for (const ParamPlan& param : plan.params) {
    if (param.choice >= 0) {
      made.int_params.push_back(param.choice);
      continue;
    }
    if (param.type != ParamType::kInt || !param.secret_env.empty()) continue;
    const Result<cl_int> value = as_int(param);
    if (!value.ok()) return value.status();
    made.int_params.push_back(*value);
  }
  cl_uint count = 0;
  if (const cl_int code = cl.clGetKernelInfo(made.kernel.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
      code != CL_SUCCESS) {
    return cl_failure("clGetKernelInfo", code);
  }
  const std::size_t expected = 3 * (plan.inputs.size() + plan.outputs.size()) + made.int_params.size();
  if (count == expected) return {};
  return {Code::kInvalid, "function '" + plan.variant.entry + "' of " + plan.variant.source + " has " +
                              std::to_string(count) + " arguments, expected " + std::to_string(expected) +
                              ": data, bytes and dims of every port, then " + std::to_string(made.int_params.size()) +
                              " parameters of type int, or of type string with choices"};
}

Status bind_work_size(DeviceProgram& made) {
  const VariantPlan& variant = made.stage.plan->variant;
  const auto& dims = made.stage.plan->outputs.front().type.dims;
  if (variant.global.empty() || variant.global.size() > made.work_size.size()) {
    return {Code::kInvalid,
            "`global` of an opencl variant lists 1 to 3 dimensions, found " + std::to_string(variant.global.size())};
  }
  for (const std::string& name : variant.global) {
    std::int32_t& place = made.work_size[made.work_dims++];
    place = DeviceProgram::kByBytes;
    if (name == "bytes") continue;
    const auto at = std::find_if(dims.begin(), dims.end(), [&](const Dimension& dim) { return dim.name == name; });
    if (at == dims.end())
      return {Code::kInvalid, "`global` names '" + name + "', which is no dimension of the first output"};
    place = static_cast<std::int32_t>(at - dims.begin());
  }
  return {};
}

}  // namespace

Result<DeviceProgram> build_stage(const OpenCl& cl, cl_context context, cl_device_id device, const LoadedStage& stage) {
  const std::string place = "stage '" + stage.plan->name + "'";
  if (Status status = check_stage(stage); !status.ok()) return status.with_context(place);
  const Result<std::string> source = read_source(stage);
  if (!source.ok()) return source.status().with_context(place);
  DeviceProgram made;
  made.stage = stage;
  for (const OutputPortPlan& output : stage.plan->outputs) made.outputs.emplace_back(output.type);
  if (Status status = build(cl, context, device, *source, made); !status.ok()) return status.with_context(place);
  if (Status status = bind_params(cl, made); !status.ok()) return status.with_context(place);
  if (Status status = bind_work_size(made); !status.ok()) return status.with_context(place);
  return made;
}

}  // namespace woa
