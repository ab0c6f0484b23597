#include "runtime/controller/kernel_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/base/shared_library.h"
#include "runtime/controller/kernel_call.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

std::string name_of(const StagePlan& stage) { return "stage '" + stage.name + "', kernel '" + stage.kernel + "'"; }

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

Result<fs::path> find_folder(const StagePlan& stage, std::span<const fs::path> folders) {
  if (!stage.kernel_file.empty()) {
    const fs::path file = stage.kernel_file;
    if (is_there(file)) return file.parent_path();
    return {Code::kNotFound, "there is no " + file.string()};
  }
  std::string searched;
  for (const fs::path& folder : folders) {
    if (is_there(folder / stage.kernel / "kernel.yaml")) return folder / stage.kernel;
    searched.append(" ").append(folder.string());
  }
  return {Code::kNotFound, "no folder holds " + stage.kernel +
                               "/kernel.yaml; searched:" + (searched.empty() ? " none" : searched) +
                               ": set WOA_KERNEL_PATH to the folder that holds it"};
}

// The kernel's own reason for not having been built, if it has one.
Status check_available(const fs::path& folder) {
  std::ifstream file(folder / "unavailable.txt");
  if (!file) return {};
  std::string reason;
  std::getline(file, reason);
  return {Code::kUnavailable, reason.empty() ? "unavailable, without a reason" : reason};
}

Status check_is_planned(const StagePlan& stage, const fs::path& folder, const ReadDeclaration& read_declaration) {
  if (stage.declaration.empty()) return {};
  if (read_declaration == nullptr) {
    return {Code::kInvalid,
            "the plan has the kernel's declaration, and this program nothing to read kernel.yaml with: set "
            "RunOptions::read_declaration"};
  }
  const fs::path file = stage.kernel_file.empty() ? folder / "kernel.yaml" : fs::path(stage.kernel_file);
  const Result<KernelDeclaration> here = read_declaration(file, stage.variant.kind);
  return here.ok() ? check_declaration(stage, *here, file) : here.status();
}

// The parameters as create() takes them, and which of the values are secrets. A secret that is not set is left out: the
// kernel may do without it, and `missing` says what to do where it cannot.
struct Parameters {
  std::vector<woa_param> values;
  std::vector<std::string_view> secrets;
  std::string missing;
};

Parameters collect(const StagePlan& stage) {
  Parameters parameters;
  for (const ParamPlan& param : stage.params) {
    const char* value = param.value.c_str();
    if (!param.secret_env.empty()) {
      value = std::getenv(param.secret_env.c_str());
      if (value == nullptr) {
        parameters.missing += "; secret parameter '" + param.name + "' is not given: set the environment variable " +
                              param.secret_env + " where the kernel runs";
        continue;
      }
      if (*value != '\0') parameters.secrets.emplace_back(value);
    }
    parameters.values.push_back({param.name.c_str(), value});
  }
  return parameters;
}

// A kernel may quote its parameters in an error; a secret must not get out that way.
std::string without_secrets(std::string message, std::span<const std::string_view> secrets) {
  for (const std::string_view secret : secrets) {
    for (std::size_t at = message.find(secret); at != std::string::npos; at = message.find(secret, at + 3)) {
      message.replace(at, secret.size(), "***");
    }
  }
  return message;
}

// The table of headers before the field table_bytes.
constexpr std::size_t kFirstTableBytes = offsetof(woa_kernel, state_bytes) + sizeof(woa_kernel::state_bytes);
constexpr std::size_t kMostTableBytes = 4096;  // a larger number is no size

}  // namespace

Status read_kernel_table(const woa_kernel& given, std::span<std::byte> known) {
  if (given.abi != WOA_KERNEL_ABI) {
    return {Code::kUnsupported, "built for kernel interface " + std::to_string(given.abi) + ", expected " +
                                    std::to_string(WOA_KERNEL_ABI) + "; build it again with this version's headers"};
  }
  const std::size_t bytes = given.table_bytes == 0 ? kFirstTableBytes : given.table_bytes;
  if (bytes < kFirstTableBytes || bytes > kMostTableBytes) {
    return {Code::kUnsupported, "its table has " + std::to_string(bytes) + " bytes, expected " +
                                    std::to_string(kFirstTableBytes) + " to " + std::to_string(kMostTableBytes) +
                                    "; set table_bytes to sizeof(woa_kernel)"};
  }
  const std::span data(reinterpret_cast<const std::byte*>(&given), bytes);
  const std::span common = data.first(std::min(bytes, known.size())), more = data.subspan(common.size());
  if (std::any_of(more.begin(), more.end(), [](std::byte byte) { return byte != std::byte{}; })) {
    return {Code::kUnsupported, "its table of " + std::to_string(bytes) + " bytes sets a field behind the " +
                                    std::to_string(known.size()) +
                                    " bytes that this version knows; run it with a newer version"};
  }
  std::copy(common.begin(), common.end(), known.begin());
  return {};
}

Result<woa_kernel> read_kernel_table(const woa_kernel& given) {
  woa_kernel known{};
  WOA_RETURN_IF_ERROR(read_kernel_table(given, std::as_writable_bytes(std::span(&known, 1))));
  return known;
}

void KernelLibrary::Close::operator()(void* library) const noexcept { ::dlclose(library); }

Result<fs::path> KernelLibrary::find(const StagePlan& stage, std::span<const fs::path> folders) {
  Result<fs::path> folder = find_folder(stage, folders);
  if (!folder.ok()) return folder.status().with_context(name_of(stage));
  if (Status status = check_available(*folder); !status.ok()) return status.with_context(name_of(stage));
  if (stage.library.empty() || is_there(*folder / stage.library)) return folder;
  const Status absent(Code::kNotFound, "its library " + (*folder / stage.library).string() +
                                           " is not there: build the kernel (docs/kernels.md)");
  return absent.with_context(name_of(stage));
}

Result<KernelLibrary> KernelLibrary::load(const StagePlan& stage, std::span<const fs::path> folders,
                                          const ReadDeclaration& read_declaration,
                                          std::span<const ProgramKernel> of_program) {
  KernelLibrary loaded;
  loaded.name_ = stage.kernel;
  const std::string place = name_of(stage);
  if (stage.program_kernel != 0) {
    if (Status status = loaded.take(stage, of_program); !status.ok()) return status.with_context(place);
    return loaded;
  }
  Result<fs::path> folder = find(stage, folders);
  if (!folder.ok()) return folder.status();
  loaded.folder_ = *std::move(folder);
  if (stage.library.empty()) return loaded;
  if (Status status = check_is_planned(stage, loaded.folder_, read_declaration); !status.ok())
    return status.with_context(place);
  if (Status status = loaded.open(loaded.folder_ / stage.library); !status.ok()) return status.with_context(place);
  if (Status status = loaded.create(stage); !status.ok()) return status.with_context(place);
  return loaded;
}

Status KernelLibrary::open(const fs::path& file) {
  const Result<void*> library = load_library(file, "build the kernel again");
  if (!library.ok()) return library.status().with_context("cannot load its library");
  library_.reset(*library);
  const auto entry = reinterpret_cast<woa_kernel_entry_fn>(::dlsym(library_.get(), WOA_KERNEL_ENTRY));
  if (entry == nullptr) return {Code::kUnsupported, file.string() + " does not export " WOA_KERNEL_ENTRY};
  const woa_kernel* given = nullptr;
  WOA_RETURN_IF_ERROR(call_kernel(WOA_KERNEL_ENTRY, [&](woa_error&) {
    given = entry();
    return WOA_OK;
  }));
  if (given == nullptr) return {Code::kBrokenContract, file.string() + ": " WOA_KERNEL_ENTRY " returned nothing"};
  const Result<woa_kernel> table = read_kernel_table(*given);
  if (!table.ok()) return table.status().with_context(file.string());
  table_ = std::make_unique<const woa_kernel>(*table);
  kernel_ = table_.get();
  return {};
}

Status KernelLibrary::take(const StagePlan& stage, std::span<const ProgramKernel> of_program) {
  if (stage.program_kernel > of_program.size())
    return {Code::kNotFound,
            "it is of the program that compiled the plan, whose kernels are not here: set "
            "RunOptions::program_kernels"};
  kernel_ = of_program[stage.program_kernel - 1].functions;
  self_ = of_program[stage.program_kernel - 1].user;
  return create(stage);
}

Status KernelLibrary::create(const StagePlan& stage) {
  if (kernel_->create == nullptr) return {};
  const Parameters parameters = collect(stage);
  const Status status = call_kernel("create", [&](woa_error& error) {
    return kernel_->create(parameters.values.data(), parameters.values.size(), &self_, &error);
  });
  if (status.ok()) return {};
  self_ = nullptr;  // a create() that failed has nothing to destroy
  return {status.code(), without_secrets(status.message(), parameters.secrets) + parameters.missing};
}

KernelLibrary::KernelLibrary(KernelLibrary&& other) noexcept
    : name_(std::move(other.name_)),
      folder_(std::move(other.folder_)),
      library_(std::move(other.library_)),
      table_(std::move(other.table_)),
      kernel_(std::exchange(other.kernel_, nullptr)),
      self_(std::exchange(other.self_, nullptr)) {}

// Without create() `self` is the program's own.
KernelLibrary::~KernelLibrary() {
  if (kernel_ != nullptr && kernel_->create != nullptr && kernel_->destroy != nullptr && self_ != nullptr)
    release_by_kernel("destroy", name_, [&] { kernel_->destroy(self_); });
}

}  // namespace woa
