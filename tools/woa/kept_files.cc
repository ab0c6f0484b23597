#include "tools/woa/kept_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/controller/kernel_library.h"
#include "tools/woa/environment.h"

namespace woa::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNumber = "%i";

using Identity = std::pair<dev_t, ino_t>;

// Nothing for what is not there, and for what is no plain file: that is not overwritten.
std::optional<Identity> identity(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

// Whether `name` is `pattern` with a number in place of its %i.
bool fits(std::string_view name, std::string_view pattern) {
  const std::size_t place = pattern.find(kNumber);
  if (place == std::string_view::npos || name.size() < pattern.size() - 1) return name == pattern;
  const std::string_view number = name.substr(place, name.size() - pattern.size() + kNumber.size());
  return name.starts_with(pattern.substr(0, place)) && name.ends_with(pattern.substr(place + kNumber.size())) &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

// What is there of the files that the number in `file` may mean; of one without a number, itself.
std::vector<fs::path> meant(const WrittenFile& file) {
  const std::string text = file.path.string();
  const std::size_t number = file.numbered ? text.find(kNumber) : std::string::npos;
  if (number == std::string::npos) return {file.path};
  const std::size_t begin = text.rfind('/', number) + 1, end = std::min(text.find('/', number), text.size());
  const std::string folder = text.substr(0, begin), pattern = text.substr(begin, end - begin), rest = text.substr(end);
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), last; !error && entry != last;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (fits(name, pattern)) files.emplace_back(folder + name + rest);
  }
  return files;
}

// Where a file is, or will be when it is written: through links, also those that lead to nothing yet.
fs::path resolved(fs::path path) {
  constexpr int kMostLinks = 40;  // as the system follows them
  std::error_code error;
  for (int k = 0; k < kMostLinks && fs::is_symlink(fs::symlink_status(path, error)); ++k)
    path = path.parent_path() / fs::read_symlink(path, error);
  const fs::path absolute = fs::absolute(path, error);
  const fs::path plain = fs::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : plain;
}

bool is_special(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

bool are_one(const WrittenFile& a, const WrittenFile& b) {
  const fs::path one = resolved(a.path), other = resolved(b.path);
  if (one == other) return !is_special(one);
  if (a.numbered && fits(other.string(), one.string())) return true;
  if (b.numbered && fits(one.string(), other.string())) return true;
  const auto file = identity(a.path);
  return file && file == identity(b.path);
}

Status check_apart(const std::vector<WrittenFile>& written) {
  for (std::size_t k = 0; k < written.size(); ++k) {
    const WrittenFile& file = written[k];
    if (file.path == "-")
      return {Code::kInvalid,
              file.option + ": `-` stands for no stream here: name a file, and write ./- for one that is called so"};
    for (std::size_t j = 0; j < k; ++j)
      if (are_one(written[j], file))
        return {Code::kInvalid, written[j].option + " and " + file.option + " would be written to one file, '" +
                                    file.path.string() + "': name two"};
  }
  return {};
}

}  // namespace

std::vector<WrittenFile> given(std::vector<WrittenFile> written) {
  std::erase_if(written, [](const WrittenFile& file) { return file.path.empty(); });
  return written;
}

std::vector<ReadFile> read_by(const Plan& plan) {
  std::vector<ReadFile> files;
  const std::vector<fs::path> folders = kernel_path();
  for (const StagePlan& stage : plan.stages) {
    for (const ParamPlan& param : stage.params)
      if (param.is_file && param.secret_env.empty()) files.push_back({"stage " + stage.name, param.value});
    if (stage.role != StageRole::kKernel) continue;
    const auto folder = KernelLibrary::find(stage, folders);
    if (!folder.ok()) continue;
    for (const std::string& name : {std::string("kernel.yaml"), stage.library, stage.variant.source})
      if (!name.empty()) files.push_back({"stage " + stage.name, *folder / name});
  }
  return files;
}

Status check_kept(const std::vector<WrittenFile>& written, const std::vector<ReadFile>& read) {
  if (Status apart = check_apart(written); !apart.ok() || written.empty()) return apart;
  std::map<Identity, const ReadFile*> kept;
  for (const ReadFile& file : read)
    if (const auto known = identity(file.path)) kept.emplace(*known, &file);
  for (const WrittenFile& file : written)
    for (const fs::path& path : meant(file)) {
      const auto known = identity(path);
      const auto found = known ? kept.find(*known) : kept.end();
      if (found == kept.end()) continue;
      const ReadFile& lost = *found->second;
      return {Code::kInvalid, file.option + ": '" + path.string() + "' would overwrite '" + lost.path.string() +
                                  "', which is read for " + lost.reason + ": name another file"};
    }
  return {};
}

}  // namespace woa::tools
