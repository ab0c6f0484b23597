#include "controllers/gpu/gpu_stage.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "runtime/base/scalar.h"
#include "runtime/controller/kernel_call.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr KernelFeatures kRuns = default_backend(ControllerKind::kGpu).runs;

Status check_stage(const LoadedStage& stage, const std::string& variant) {
  const StagePlan& plan = *stage.plan;
  const std::string kernel = "kernel '" + plan.kernel + "'";
  if (plan.variant.kind != variant)
    return {Code::kUnsupported, kernel + " has no " + variant + " variant to run as '" + plan.variant.kind + "'"};
  if (stage.kernel == nullptr || stage.kernel->size == nullptr)
    return {Code::kUnsupported, kernel + ": a variant '" + variant + "' needs the library's size function"};
  const std::string_view beyond = first_beyond(features_of(plan.inputs, plan.outputs, plan.stateful), kRuns);
  if (!beyond.empty())
    return {Code::kUnsupported,
            kernel + " " + std::string(beyond) + ", which a variant '" + variant + "' cannot; use the cpu variant"};
  return {};
}

// A plan spells every value of type int in digits (normal_value()).
Result<std::int32_t> as_int(const ParamPlan& param) {
  const auto value = parse_signed(param.value);
  if (value && std::in_range<std::int32_t>(*value)) return static_cast<std::int32_t>(*value);
  return {Code::kInvalid, "parameter '" + param.name + "' is " + param.value +
                              ", and a gpu takes ints of 32 bits, from -2147483648 to 2147483647; give a smaller "
                              "value, or run the stage on a cpu"};
}

// In order: parameters of type int, and choices by number. Secrets stay with the library.
Status bind_params(GpuStage& made) {
  for (const ParamPlan& param : made.stage.plan->params) {
    if (param.choice >= 0) {
      made.int_params.push_back(param.choice);
      continue;
    }
    if (param.type != ParamType::kInt || !param.secret_env.empty()) continue;
    const Result<std::int32_t> value = as_int(param);
    if (!value.ok()) return value.status();
    made.int_params.push_back(*value);
  }
  return {};
}

Status bind_work_size(GpuStage& made) {
  const VariantPlan& variant = made.stage.plan->variant;
  const auto& dims = made.stage.plan->outputs.front().type.dims;
  if (variant.global.empty() || variant.global.size() > made.work_size.size()) {
    return {Code::kInvalid, "`global` of variant '" + variant.kind + "' lists 1 to 3 dimensions, found " +
                                std::to_string(variant.global.size())};
  }
  for (const std::string& name : variant.global) {
    std::int32_t& place = made.work_size[made.work_dims++];
    place = GpuStage::kByBytes;
    if (name == "bytes") continue;
    const auto at = std::find_if(dims.begin(), dims.end(), [&](const Dimension& dim) { return dim.name == name; });
    if (at == dims.end())
      return {Code::kInvalid, "`global` names '" + name + "', which is no dimension of the first output"};
    place = static_cast<std::int32_t>(at - dims.begin());
  }
  return {};
}

}  // namespace

Result<GpuStage> GpuStage::make(const LoadedStage& stage, std::string_view variant, std::uint64_t most_bytes) {
  WOA_RETURN_IF_ERROR(check_stage(stage, std::string(variant)));
  GpuStage made;
  made.stage = stage;
  made.most_bytes = most_bytes;
  for (const OutputPortPlan& output : stage.plan->outputs) made.outputs.emplace_back(output.type);
  WOA_RETURN_IF_ERROR(bind_params(made));
  WOA_RETURN_IF_ERROR(bind_work_size(made));
  return made;
}

std::size_t GpuStage::arguments() const noexcept {
  return 3 * (stage.plan->inputs.size() + stage.plan->outputs.size()) + int_params.size();
}

Status GpuStage::size_outputs(Firing& firing) const {
  const StagePlan& plan = *stage.plan;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (firing.inputs[i].bytes > most_bytes)
      return {Code::kTooLarge, "input '" + plan.inputs[i].name + "' exceeds 4 GiB"};
  }
  WOA_RETURN_IF_ERROR(call_kernel("size", [&](woa_error& error) {
    return stage.kernel->size(stage.self, firing.inputs.data(), firing.outputs.data(), &error);
  }));
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    woa_output& output = firing.outputs[i];
    output.written = 1;
    if (plan.outputs[i].type.dims.empty()) output.dims[0] = static_cast<std::uint32_t>(output.bytes);
    if (!outputs[i].fits(output)) return outputs[i].why_unfit(plan.outputs[i].name, output);
    if (output.bytes > most_bytes) return {Code::kTooLarge, "output '" + plan.outputs[i].name + "' exceeds 4 GiB"};
  }
  return {};
}

bool GpuStage::work_of(const Firing& firing, std::array<std::size_t, 3>& work) const noexcept {
  const woa_output& first = firing.outputs.front();
  for (std::uint32_t d = 0; d < work_dims; ++d) {
    work[d] = work_size[d] == kByBytes ? first.bytes : first.dims[work_size[d]];
    if (work[d] == 0) return false;
  }
  return true;
}

fs::path source_path(const LoadedStage& stage) {
  const fs::path folder =
      stage.folder.empty() ? fs::path(stage.plan->kernel_file).parent_path() : fs::path(stage.folder);
  return folder / stage.plan->variant.source;
}

Result<std::string> read_source(const LoadedStage& stage) {
  const fs::path path = source_path(stage);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return {Code::kNotFound, "cannot read " + path.string() + ", the source of variant '" + stage.plan->variant.kind +
                                 "'; look for it beside kernel.yaml"};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace woa
