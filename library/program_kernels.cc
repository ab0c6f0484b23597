#include "library/program_kernels.h"

#include <deque>
#include <mutex>

#include "library/answer.h"

namespace woa {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, DescribedKernel> described;
  std::deque<woa_kernel> tables;
  std::vector<ProgramKernel> kernels;
};

Registry& registry() {
  static Registry& all = *new Registry;  // stays, since kernels may run in threads while the process ends
  return all;
}

Result<woa_kernel> check_functions(const std::string& name, const woa_kernel* functions) {
  const std::string kernel = "kernel '" + name + "'";
  if (functions == nullptr) return {Code::kInvalid, kernel + " has no functions; give its woa_kernel"};
  const Result<woa_kernel> table = read_kernel_table(*functions);
  if (!table.ok()) return table.status().with_context(kernel);
  if (table->run == nullptr) return {Code::kInvalid, kernel + " has no function `run`"};
  return table;
}

Status add_kernel(const char* description, const woa_kernel* functions, void* user) {
  if (description == nullptr) return {Code::kInvalid, "a kernel needs a description: the text of a kernel.yaml"};
  const CheckedDescription checked = check_description(description);
  if (checked.name.empty()) return summary_of(checked.diagnostics);
  WOA_ASSIGN_OR_RETURN(const woa_kernel table, check_functions(checked.name, functions));
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.tables.push_back(table);
  all.kernels.push_back({&all.tables.back(), user});
  all.described[checked.name] = {description, static_cast<std::uint32_t>(all.kernels.size())};
  return {};
}

}  // namespace

std::map<std::string, DescribedKernel> described_kernels() {
  const std::lock_guard lock(registry().mutex);
  return registry().described;
}

std::vector<ProgramKernel> program_kernels() {
  const std::lock_guard lock(registry().mutex);
  return registry().kernels;
}

}  // namespace woa

woa_status woa_kernel_register(const char* description, const woa_kernel* functions, void* user) {
  return woa::guarded([&] { return woa::add_kernel(description, functions, user); });
}
