// A stage's kernel: its functions, from a shared library or of the program itself, and what create() made of the
// stage's parameters.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "runtime/base/status.h"
#include "runtime/plan/kernel_declaration.h"
#include "runtime/plan/plan.h"
#include "woa/woa_kernel.h"

namespace woa {

// Takes what a firing of `self` attached to its failure, in another process.
using TakeAttached = void (*)(void* self, std::uint64_t instance, const void* bytes, std::size_t size);

// Functions of the program itself, for as long as it runs, and what its create() finds in `*self`.
struct ProgramKernel {
  const woa_kernel* functions = nullptr;
  void* user = nullptr;
  // For worker processes: what they make its functions of, and who takes what a failed firing there attached (the
  // latter may be null). Empty: they cannot have it.
  std::string sent = {};
  TakeAttached attached = nullptr;
};

// A kernel's table as this runtime knows it: fields that the kernel's header did not have are null or 0. kUnsupported:
// it is for another kernel interface, or has a field that this runtime does not know.
Result<woa_kernel> read_kernel_table(const woa_kernel& given);
// The same as read_kernel_table(), for a runtime whose woa_kernel is `known`, all zero on entry.
Status read_kernel_table(const woa_kernel& given, std::span<std::byte> known);

// Owns the library and `self`. Must outlive every backend that was given its table, and every instance's state.
class KernelLibrary {
 public:
  // Loads what `stage` names. Number stage.program_kernel, from 1 on, is in `of_program`. Any other kernel's folder is
  // that of stage.kernel_file or, without one, the first of `folders` that holds <kernel>/kernel.yaml. A stage without
  // either gets an empty object. Runs code of the library, unless its kernel.yaml declares another kernel than the plan
  // was made with; may take long. One thread. `read_declaration` may be absent for plans made by hand, which have no
  // declarations. kNotFound: no such kernel or library. kUnavailable: the kernel says why in unavailable.txt, or the
  // loader refuses the library. kExhausted: a limit on open files. kUnsupported: another kernel, or built for another
  // kernel interface. Otherwise the code and message of create(), with the environment variables of secrets that are
  // not set. Messages name stage and kernel, never the value of a secret.
  static Result<KernelLibrary> load(const StagePlan& stage, std::span<const std::filesystem::path> folders,
                                    const ReadDeclaration& read_declaration = nullptr,
                                    std::span<const ProgramKernel> of_program = {});

  // The folder of what `stage` names, no kernel of the program, if all that load() opens is there: runs nothing, and
  // takes no time. As load().
  static Result<std::filesystem::path> find(const StagePlan& stage, std::span<const std::filesystem::path> folders);

  KernelLibrary(KernelLibrary&& other) noexcept;
  KernelLibrary& operator=(KernelLibrary&&) = delete;
  ~KernelLibrary();  // destroy(), then unloads

  [[nodiscard]] const woa_kernel* kernel() const noexcept { return kernel_; }  // null: the stage has no library
  [[nodiscard]] void* self() const noexcept { return self_; }
  // The folder of kernel.yaml, with OpenCL sources beside it. Empty for a kernel of the program.
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  struct Close {
    void operator()(void* library) const noexcept;
  };
  KernelLibrary() = default;
  Status open(const std::filesystem::path& file);
  Status take(const StagePlan& stage, std::span<const ProgramKernel> of_program);
  Status create(const StagePlan& stage);

  std::string name_;
  std::filesystem::path folder_;
  std::unique_ptr<void, Close> library_;
  std::unique_ptr<const woa_kernel> table_;  // null for a kernel of the program
  const woa_kernel* kernel_ = nullptr;
  void* self_ = nullptr;
};

}  // namespace woa
