#include "controllers/gpu/cuda/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/base/shared_library.h"

namespace woa::cuda {
namespace {

constexpr char kHeader[] =
#include "controllers/gpu/woa_cuda_header.inc"
    ;
constexpr const char* kHeaderName = "woa_cuda.h";
constexpr std::array<const char*, 3> kOptions{"--fmad=false", "--std=c++17", "--no-source-include"};
constexpr int kOldestTarget = 75;  // as the PTX that ships
constexpr const char* kAdvice =
    "install NVRTC (a part of the CUDA toolkit, no newer than the driver), or build the PTX beside the source "
    "(docs/kernels.md, Building PTX)";

enum : NvrtcResult { kSuccess = 0, kOutOfMemory = 1, kCompilation = 6, kBuiltinOperation = 7 };

// NVRTC looks for its other half by the loader's rules, which do not include its own folder.
void open_builtins(void* function, int major, int minor) {
  Dl_info found{};
  if (::dladdr(function, &found) == 0 || found.dli_fname == nullptr) return;
  const std::string name = "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  ::dlopen((std::filesystem::path(found.dli_fname).parent_path() / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

Result<Nvrtc> Nvrtc::load(std::span<const char* const> libraries) {
  std::string reasons;
  for (const char* const file : libraries) {
    const Result<void*> library = load_library(file, kAdvice);
    if (!library.ok() && library.status().code() == Code::kExhausted) return library.status();
    if (!library.ok()) {
      reasons += (reasons.empty() ? "" : ", ") + std::string(file);
      continue;
    }
    Nvrtc made;
    if (Status status = made.find_functions(*library, file); !status.ok()) return status;
    if (Status status = made.ask(); !status.ok()) return status.with_context(file);
    return made;
  }
  return {Code::kUnavailable, "NVRTC is not here (" + reasons + "); " + kAdvice};
}

Status Nvrtc::find_functions(void* library, const char* file) {
#define WOA_NVRTC_FIND(member, symbol, parameters)                              \
  member##_ = reinterpret_cast<decltype(member##_)>(::dlsym(library, #symbol)); \
  if (member##_ == nullptr)                                                     \
    return {Code::kUnavailable, std::string(file) + " has no " #symbol ", which NVRTC has since 11.2; " + kAdvice};
  WOA_NVRTC_FUNCTIONS(WOA_NVRTC_FIND)
#undef WOA_NVRTC_FIND
  return {};
}

Status Nvrtc::ask() {
  int major = 0, minor = 0, count = 0;
  if (version_(&major, &minor) != kSuccess || target_count_(&count) != kSuccess)
    return {Code::kUnavailable, std::string("it does not say its version; ") + kAdvice};
  name_ = "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
  std::vector<int> targets(static_cast<std::size_t>(std::max(count, 0)));
  if (targets_(targets.data()) != kSuccess) targets.clear();
  std::sort(targets.begin(), targets.end());
  const auto target = std::lower_bound(targets.begin(), targets.end(), kOldestTarget);
  if (target == targets.end())
    return {Code::kUnavailable, name_ + " knows no GPU from sm_" + std::to_string(kOldestTarget) + " on; " + kAdvice};
  target_ = "--gpu-architecture=compute_" + std::to_string(*target);
  open_builtins(reinterpret_cast<void*>(version_), major, minor);
  return {};
}

std::string Nvrtc::identity() const {
  std::string text = name_ + " " + target_;
  for (const char* const option : kOptions) (text += ' ') += option;
  return text + '\n' + kHeader;
}

Status Nvrtc::failure(NvrtcProgram program, const std::string& file, NvrtcResult code) const {
  std::size_t bytes = 0;
  std::string text;
  if (program != nullptr && log_bytes_(program, &bytes) == kSuccess) {
    text.resize(bytes);
    if (log_(program, text.data()) != kSuccess) text.clear();
  }
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  if (code == kCompilation) return {Code::kInvalid, file + " does not compile with " + name_ + ":\n" + text};
  if (code == kOutOfMemory) return {Code::kExhausted, name_ + " had no memory to compile " + file};
  const std::string reason = text.empty() ? "error " + std::to_string(code) : text;
  return {Code::kUnavailable, name_ + " could not compile " + file + ": " + reason + "; " + kAdvice};
}

Result<std::string> Nvrtc::compile(const std::string& file, const std::string& source) const {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  NvrtcProgram program = nullptr;
  const char* const header = kHeader;
  if (const NvrtcResult code = create_(&program, source.c_str(), file.c_str(), 1, &header, &kHeaderName);
      code != kSuccess)
    return failure(nullptr, file, code);
  const auto destroy = [this](NvrtcProgram made) { destroy_(&made); };
  const std::unique_ptr<_nvrtcProgram, decltype(destroy)> owner(program, destroy);

  std::vector<const char*> options(kOptions.begin(), kOptions.end());
  options.push_back(target_.c_str());
  if (const NvrtcResult code = compile_(program, static_cast<int>(options.size()), options.data()); code != kSuccess)
    return failure(program, file, code);
  std::size_t bytes = 0;  // with a zero at the end
  if (const NvrtcResult code = ptx_bytes_(program, &bytes); code != kSuccess || bytes == 0)
    return failure(program, file, code);
  std::string text(bytes, '\0');
  if (const NvrtcResult code = ptx_(program, text.data()); code != kSuccess) return failure(program, file, code);
  text.pop_back();
  return text;
}

const Result<Nvrtc>& open_nvrtc() {
  static const Result<Nvrtc> library = Nvrtc::load(kNvrtcLibraries);
  return library;
}

}  // namespace woa::cuda
