#include "library/program_kernels.h"

#include <deque>
#include <mutex>

#include "library/answer.h"
#include "runtime/controller/kernel_call.h"
#include "runtime/plan/isolation.h"

namespace woa {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, DescribedKernel> described;
  std::deque<woa_kernel> tables;
  std::vector<ProgramKernel> kernels;
  std::map<std::size_t, woa_sending> sendings;  // by place in `kernels`
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

Status add_kernel(const char* description, const woa_kernel* functions, void* user, const woa_sending* sending) {
  if (description == nullptr) return {Code::kInvalid, "a kernel needs a description: the text of a kernel.yaml"};
  const CheckedDescription checked = check_description(description);
  if (checked.name.empty()) return summary_of(checked.diagnostics);
  WOA_ASSIGN_OR_RETURN(const woa_kernel table, check_functions(checked.name, functions));
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.tables.push_back(table);
  if (sending != nullptr) all.sendings[all.kernels.size()] = *sending;
  all.kernels.push_back({&all.tables.back(), user});
  all.described[checked.name] = {description, static_cast<std::uint32_t>(all.kernels.size())};
  return {};
}

// Gives a kernel what worker processes make its functions of; `number`: its place.
Result<ProgramKernel> sent(std::size_t number, ProgramKernel kernel) {
  woa_sending sending{};
  {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().sendings.find(number);
    if (found == registry().sendings.end()) return {Code::kUnsupported, "its functions are of this process alone"};
    sending = found->second;
  }
  const void* bytes = nullptr;
  std::size_t size = 0;
  WOA_RETURN_IF_ERROR(
      call_kernel("send", [&](woa_error& error) { return sending.send(kernel.user, &bytes, &size, &error); }));
  if (bytes == nullptr) return {Code::kCancelled, "its functions are to stay in this process"};
  kernel.sent.assign(static_cast<const char*>(bytes), size);
  kernel.attached = sending.attached;
  return kernel;
}

}  // namespace

Status send_program_kernels(Plan& plan, std::vector<ProgramKernel>& kernels, bool must, const OnMessage& say) {
  std::map<std::uint32_t, Status> refused;  // by number of the kernel
  std::string told;
  for (StagePlan& stage : plan.stages) {
    if (stage.program_kernel == 0) continue;
    ProgramKernel& kernel = kernels[stage.program_kernel - 1];
    if (kernel.sent.empty() && !refused.contains(stage.program_kernel)) {
      Result<ProgramKernel> made = sent(stage.program_kernel - 1, kernel);
      if (made.ok()) kernel = *std::move(made);
      if (!made.ok()) refused.emplace(stage.program_kernel, made.status());
    }
    if (!kernel.sent.empty()) {
      isolate_program_kernel(stage);
      continue;
    }
    const std::string why =
        "stage '" + stage.name + "', kernel '" + stage.kernel + "': " + refused.at(stage.program_kernel).message();
    if (must) return {Code::kUnsupported, "worker processes cannot run " + why};
    if (refused.at(stage.program_kernel).code() == Code::kCancelled) continue;  // it wants to stay
    told += (told.empty() ? "" : "; ") + why;
  }
  if (!told.empty()) say("in this process, one at a time, since worker processes cannot run them: " + told);
  return {};
}

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
  return woa::guarded([&] { return woa::add_kernel(description, functions, user, nullptr); });
}

woa_status woa_kernel_register_sent(const char* description, const woa_kernel* functions, void* user,
                                    const woa_sending* sending) {
  return woa::guarded([&]() -> woa::Status {
    WOA_RETURN_IF_ERROR(woa::need(sending, "sending"));
    if (sending->send == nullptr) return {woa::Code::kInvalid, "the sending has no function `send`"};
    return woa::add_kernel(description, functions, user, sending);
  });
}
