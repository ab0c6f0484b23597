#include "tools/woa/kernel_check.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "compiler/compiler.h"
#include "library/environment.h"
#include "library/load_plan.h"
#include "library/run_arguments.h"
#include "runtime/base/quantities.h"

namespace woa::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSizes[] = {1, 2, 7, 64, 1'000, 65'536};  // of each dimension that varies
constexpr std::uint64_t kMostBytes = 1 << 20;                     // of an input
constexpr std::uint64_t kLimitNs = 10'000'000'000;                // of a firing

struct Checked {
  KernelListing kernel;
  std::string file;  // of its kernel.yaml; empty: found by its name
};

Result<Checked> kernel_to_check(const std::string& given) {
  if (fs::path(given).has_extension() || given.find('/') != std::string::npos) {
    const auto read = read_kernel_file(given);
    if (!read) return {Code::kNotFound, "'" + given + "' is no kernel.yaml that can be read"};
    if (!read->kernel || !read->kernel->description)
      return {Code::kInvalid, "'" + given + "' has errors; see `woa check " + given + "`"};
    return Checked{*read->kernel, fs::absolute(given).string()};
  }
  for (const KernelListing& kernel : list_kernels(kernel_path())) {
    if (kernel.name != given) continue;
    if (!kernel.description) return {Code::kUnavailable, "kernel '" + given + "': " + kernel.reason};
    return Checked{kernel, ""};
  }
  return {Code::kNotFound, "there is no kernel '" + given + "'; `woa devices` lists those that there are"};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
  return out + "\"";
}

// The kernel's bounds of the port's dimensions, as a graph's input says them.
std::string bounds_of(const PortDescription& port, const KernelDescription& kernel) {
  std::string bounds;
  const std::string dims = port.type.substr(std::min(port.type.find('['), port.type.size()));
  for (const auto& [name, most] : kernel.dims)
    for (const char* const end : {",", "]"})
      if (dims.find((dims.starts_with("[" + name) ? "[" : ",") + name + end) != std::string::npos)
        bounds += (bounds.empty() ? "" : ", ") + name + ": {max: " + std::to_string(most) + "}";
  return bounds.empty() ? "" : ", dims: {" + bounds + "}";
}

// A graph with this kernel alone.
Result<std::string> graph_of(const Checked& checked) {
  const KernelDescription& kernel = *checked.kernel.description;
  std::string text = "woa: 1\ngraph: check\n", inputs, outputs, in;
  if (!checked.file.empty()) text += "kernels: [" + quoted(checked.file) + "]\n";
  for (const PortDescription& port : kernel.inputs) {
    if (port.gather) return {Code::kUnsupported, "its input '" + port.name + "' gathers the elements of a scatter"};
    const std::uint64_t most = port.max_bytes == 0 ? kMostBytes : std::min(port.max_bytes, kMostBytes);
    inputs += "  " + port.name + ": {type: " + quoted(port.type) + ", max: " + std::to_string(most) +
              bounds_of(port, kernel) + "}\n";
    in += (in.empty() ? "" : ", ") + port.name + ": " + port.name;
  }
  for (const PortDescription& port : kernel.outputs) {
    if (port.many != 0) return {Code::kUnsupported, "its output '" + port.name + "' starts a scatter"};
    if (!port.one_of.empty()) return {Code::kUnsupported, "it chooses between outputs"};
    outputs += "  " + port.name + ": k." + port.name + "\n";
  }
  return text + "inputs:\n" + inputs + "stages:\n  k: {kernel: " + checked.kernel.name + ", in: {" + in +
         "}, on: cpu, isolate: true}\noutputs:\n" + outputs;
}

std::uint64_t elements(const PortType& type, const std::map<std::string, std::uint32_t>& sizes) {
  std::uint64_t count = 1;
  for (const Dimension& dim : type.dims) count *= dim.size != 0 ? dim.size : sizes.at(dim.name);
  return count;
}

// Sizes of the dimensions that vary, `size` where bounds allow it; "" is that of ports of bytes.
std::map<std::string, std::uint32_t> sizes_of(const StagePlan& source, std::uint64_t size) {
  std::map<std::string, std::uint32_t> sizes{{"", static_cast<std::uint32_t>(size)}};
  for (const OutputPortPlan& port : source.outputs)
    for (const Dimension& dim : port.type.dims)
      if (dim.size == 0)
        sizes[dim.name] = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, dim.max == 0 ? size : dim.max));
  const auto too_large = [&](const OutputPortPlan& port) {
    const std::uint64_t count = port.type.dims.empty() ? sizes.at("") : elements(port.type, sizes);
    return count * element_bytes(port.type.element) > port.type.max_bytes;
  };
  while (std::ranges::any_of(source.outputs, too_large))
    for (auto& each : sizes) each.second = std::max(each.second / 2, 1U);
  return sizes;
}

std::string text_of(const std::map<std::string, std::uint32_t>& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes)
    if (!name.empty()) text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  return text.empty() ? bytes_text(std::uint64_t{sizes.at("")}) : text;
}

// Writes random data with these sizes, as a payload lies in memory.
FillInput random_input(const StagePlan& source, std::map<std::string, std::uint32_t> sizes) {
  const auto random = std::make_shared<std::mt19937>(1);
  return [&source, sizes = std::move(sizes), random](std::uint32_t input,
                                                     std::span<std::byte> room) -> Result<std::uint64_t> {
    const PortType& type = source.outputs[input].type;
    std::size_t at = 0;
    for (const Dimension& dim : type.dims) {
      if (dim.size != 0) continue;
      std::memcpy(room.data() + at, &sizes.at(dim.name), sizeof(std::uint32_t));
      at += sizeof(std::uint32_t);
    }
    const std::uint64_t count = type.dims.empty() ? sizes.at("") : elements(type, sizes);
    const std::uint64_t bytes = type.prefix_bytes() + count * element_bytes(type.element);
    for (std::uint64_t k = type.prefix_bytes(); k < bytes; ++k) room[k] = static_cast<std::byte>((*random)());
    return bytes;
  };
}

bool is_fault(const Failure& failure) {
  return failure.code == Code::kBrokenContract || failure.code == Code::kDeadlineExceeded ||
         (failure.code == Code::kKernelFailed && failure.message.find("its process") != std::string::npos);
}

Result<Plan> plan_of(const Checked& checked, const std::vector<std::string>& params) {
  PlanOptions options;
  WOA_ASSIGN_OR_RETURN(options.text, graph_of(checked));
  options.file = fs::current_path() / "check.yaml";
  options.any_machine = true;
  options.workers = 1;
  options.kernel_limit_ns = kLimitNs;
  for (const std::string& param : params) options.params.push_back("k." + param);
  const LoadedPlan loaded = load_plan(options);
  if (!loaded.plan && !loaded.diagnostics.empty()) {
    const Diagnostic& first = loaded.diagnostics.front();
    const bool parameter = first.code == problem::kMissingParam;
    return {Code::kInvalid, first.text + "; " + (parameter ? "give it: --param NAME=VALUE" : first.fix)};
  }
  if (!loaded.plan) return loaded.status;
  return plan_for_here(*loaded.plan, loaded.plan->model);
}

}  // namespace

Result<std::vector<Finding>> check_kernel(const std::string& kernel, const std::vector<std::string>& params) {
  WOA_ASSIGN_OR_RETURN(const Checked checked, kernel_to_check(kernel));
  WOA_ASSIGN_OR_RETURN(const Plan plan, plan_of(checked, params));
  RunArguments arguments;
  arguments.local.processes = "one";
  arguments.guard = true;
  WOA_ASSIGN_OR_RETURN(auto job, ParallelJob::find());
  WOA_ASSIGN_OR_RETURN(const auto owned, OwnedRun::prepare(plan, arguments, job, [](const std::string&) {}));
  std::optional<Finding> finding;
  WOA_RETURN_IF_ERROR(owned->start([&](const Completion& done) {
    finding.emplace();
    if (done.failure == nullptr) {
      for (const GraphOutput& output : done.outputs)
        finding->found += (finding->found.empty() ? "wrote " : ", ") + bytes_text(std::uint64_t{output.payload.size()});
      return;
    }
    const bool fault = is_fault(*done.failure);
    finding->health = fault ? Health::kFault : Health::kGood;
    finding->found = (fault ? "" : "refused: ") + done.failure->message;
    if (fault) finding->advice = "mend the kernel, or what its kernel.yaml says of it (docs/kernels.md)";
  }));
  std::vector<Finding> findings;
  const StagePlan& source = plan.stages[kSourceStage];
  Run& run = owned->run();
  for (const std::uint64_t size : kSizes) {
    const auto sizes = sizes_of(source, size);
    const std::string subject = text_of(sizes);
    if (!findings.empty() && findings.back().subject == subject) continue;  // no larger one fits
    finding.reset();
    if (run.submit(random_input(source, sizes)) != Push::kOk) break;
    while (!finding && run.status().ok())
      if (run.do_work() == 0) run.wait();
    WOA_RETURN_IF_ERROR(run.status());
    finding->subject = subject;
    findings.push_back(*finding);
  }
  WOA_RETURN_IF_ERROR(run.finish().status());
  return findings;
}

}  // namespace woa::tools
