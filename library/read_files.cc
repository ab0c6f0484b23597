#include "library/read_files.h"

#include "library/environment.h"
#include "runtime/controller/kernel_library.h"

namespace woa {

std::vector<ReadFile> read_by(const Plan& plan) {
  std::vector<ReadFile> files;
  const std::vector<std::filesystem::path> folders = kernel_path();
  for (const StagePlan& stage : plan.stages) {
    for (const ParamPlan& param : stage.params)
      if (param.type == ParamType::kFile && param.secret_env.empty())
        files.push_back({"stage " + stage.name, param.value});
    if (stage.role != StageRole::kKernel || stage.program_kernel != 0) continue;
    const auto folder = KernelLibrary::find(stage, folders);
    if (!folder.ok()) continue;
    for (const std::string& name : {std::string("kernel.yaml"), stage.library, stage.variant.source})
      if (!name.empty()) files.push_back({"stage " + stage.name, *folder / name});
  }
  return files;
}

}  // namespace woa
