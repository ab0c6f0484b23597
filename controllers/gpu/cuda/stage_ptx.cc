#include "controllers/gpu/cuda/stage_ptx.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "controllers/gpu/cuda/nvrtc.h"
#include "controllers/gpu/cuda/version_text.h"
#include "runtime/base/file.h"
#include "runtime/base/fnv_hash.h"
#include "runtime/base/log.h"
#include "runtime/packet/crc32c.h"

namespace woa::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 64ULL << 20;  // of a source or a PTX
constexpr const char* kBuild = "build it with clang-14 (docs/kernels.md, Building PTX)";

// The first line of an entry, a comment to PTX: what damage would change. A checksum is enough, since whoever could
// forge an entry could also run any program as this user.
std::string first_line(std::string_view ptx) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "// woa, crc32c %08x\n", crc32c(std::as_bytes(std::span(ptx))));
  return text.data();
}

std::optional<std::string> read_entry(const fs::path& path) {
  Result<std::string> text = read_regular_file(path, kMostBytes);
  if (!text.ok()) return std::nullopt;
  const std::size_t begin = text->find('\n') + 1;  // 0 without a line
  if (text->substr(0, begin) != first_line(std::string_view(*text).substr(begin))) return std::nullopt;
  text->erase(0, begin);
  return std::move(*text);
}

void keep(const fs::path& path, const std::string& ptx) {
  static std::atomic_flag told;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);  // write_file() has the reason if this fails
  const Status status = path.has_parent_path() ? write_file(path, first_line(ptx) + ptx)
                                               : Status(Code::kUnavailable, "neither XDG_CACHE_HOME nor HOME is set");
  if (status.ok() || told.test_and_set()) return;
  log(LogLevel::kWarning, "CUDA kernels without PTX are compiled at each start, since none can be kept: " +
                              status.message() + "; let XDG_CACHE_HOME name a folder that can be written");
}

Result<std::string> compiled(const Nvrtc& nvrtc, const fs::path& file, const std::string& source,
                             const fs::path& cache) {
  FnvHash hash;
  hash.add(nvrtc.identity());
  hash.add(source);
  const fs::path entry = cache.empty() ? fs::path() : cache / (hash.text() + ".ptx");
  if (auto kept = read_entry(entry)) return std::move(*kept);
  Result<std::string> made = nvrtc.compile(file.string(), source);
  if (made.ok()) keep(entry, *made);
  return made;
}

// The text behind `directive` at the beginning of a line, up to the line's end; empty: there is no such line.
std::string_view after(std::string_view ptx, std::string_view directive) {
  while (!ptx.empty()) {
    const std::string_view line = ptx.substr(0, ptx.find('\n'));
    if (line.starts_with(directive)) return line.substr(directive.size());
    ptx.remove_prefix(std::min(line.size() + 1, ptx.size()));
  }
  return {};
}

// Digits at the beginning, which are removed.
int number(std::string_view& text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? value : -1;
}

}  // namespace

Result<Ptx> stage_ptx(const fs::path& source, const PtxOptions& options) {
  fs::path beside = source;
  beside.replace_extension(".ptx");
  Result<std::string> text = read_regular_file(beside, kMostBytes);
  Ptx ptx{beside.string(), {}};
  if (!text.ok() && text.status().code() != Code::kNotFound)
    return text.status().with_context("cannot read " + ptx.file);
  if (!text.ok()) {
    const Result<std::string> code = read_regular_file(source, kMostBytes);
    if (!code.ok())
      return {Code::kNotFound, "cannot read " + source.string() +
                                   ", the source of variant 'cuda': " + code.status().message() +
                                   ", and no PTX beside it; look for both beside kernel.yaml"};
    const Result<Nvrtc>& nvrtc = open_nvrtc();
    if (!nvrtc.ok()) return nvrtc.status().with_context(source.string() + " has no PTX beside it");
    text = compiled(*nvrtc, source, *code, options.cache);
    if (!text.ok()) return text.status();
    ptx.file = nvrtc->name() + "'s PTX of " + source.string();
  }
  ptx.text = std::move(*text);
  WOA_RETURN_IF_ERROR(check_ptx(ptx, options));
  return ptx;
}

fs::path ptx_cache_folder(const char* xdg_cache_home, const char* home) {
  const fs::path cache = cache_folder(xdg_cache_home, home);
  return cache.empty() ? cache : cache / "ptx";
}

// Source: PTX ISA 9.1, Release Notes, PTX Release History.
std::optional<int> cuda_of_ptx(int version) noexcept {
  struct Run {
    int first, last, cuda;  // each version in it came with the next minor version of CUDA
  };
  static constexpr std::array<Run, 5> kRuns{
      {{63, 65, 10000}, {70, 78, 11000}, {80, 85, 12000}, {86, 88, 12070}, {90, 99, 13000}}};
  for (const Run& run : kRuns)
    if (run.first <= version && version <= run.last) return run.cuda + 10 * (version - run.first);
  return std::nullopt;
}

Status check_ptx(const Ptx& ptx, const PtxOptions& options) {
  std::string_view text = after(ptx.text, ".version ");
  const int major = number(text);
  text.remove_prefix(text.starts_with('.') ? 1 : 0);
  const int minor = number(text);
  std::string_view target = after(ptx.text, ".target sm_");
  const int capability = number(target);
  if (major < 0 || minor < 0 || capability < 0)
    return {Code::kInvalid, ptx.file + " is no PTX: it has no line '.version X.Y' or no '.target sm_XX'; " + kBuild};
  const std::optional<int> cuda = cuda_of_ptx(10 * major + minor);
  if (cuda && *cuda > options.driver_version)
    return {Code::kUnavailable, ptx.file + " has version " + std::to_string(major) + "." + std::to_string(minor) +
                                    ", which needs a driver for CUDA " + cuda_version_text(*cuda) +
                                    ", and this one is for CUDA " + cuda_version_text(options.driver_version) +
                                    "; update the driver, or " + kBuild};
  if (capability > options.capability)
    return {Code::kUnsupported, ptx.file + " is for GPUs from sm_" + std::to_string(capability) +
                                    " on, and this one is sm_" + std::to_string(options.capability) + "; " + kBuild};
  return {};
}

}  // namespace woa::cuda
