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

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

// Whether there is a number, and nothing else, between the two.
bool fits(std::string_view name, std::string_view prefix, std::string_view suffix) {
  return name.size() > prefix.size() + suffix.size() && name.starts_with(prefix) && name.ends_with(suffix) &&
         is_digits(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
}

// What is there of the files that the number in `file` may mean; of one without a number, itself.
std::vector<fs::path> meant(const WrittenFile& file) {
  const std::string text = file.path.string();
  const std::size_t number = file.numbered ? text.find(kNumber) : std::string::npos;
  if (number == std::string::npos) return {file.path};
  const std::size_t begin = text.rfind('/', number) + 1, end = std::min(text.find('/', number), text.size());
  const std::string folder = text.substr(0, begin), prefix = text.substr(begin, number - begin);
  const std::string suffix = text.substr(number + kNumber.size(), end - number - kNumber.size()),
                    rest = text.substr(end);
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), last; !error && entry != last;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (fits(name, prefix, suffix)) files.emplace_back(folder + name + rest);
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

// What stands around the number, if there is one; else all of it is the prefix. The folder's own name may have a %i.
struct Pattern {
  std::string prefix;
  std::optional<std::string> suffix = std::nullopt;
};

Pattern pattern_of(const WrittenFile& file) {
  const std::string text = file.path.string();
  const std::size_t number = file.numbered ? text.find(kNumber) : std::string::npos;
  if (number == std::string::npos) return {resolved(file.path).string()};
  const std::size_t begin = text.rfind('/', number) + 1;
  const fs::path folder = resolved(begin == 0 ? "." : text.substr(0, begin)) / "";
  return {folder.string() + text.substr(begin, number - begin), text.substr(number + kNumber.size())};
}

// Whether one of the two is the other with nothing but digits added where the number is.
bool begin_alike(std::string_view a, std::string_view b) {
  return a.size() < b.size() ? begin_alike(b, a) : a.starts_with(b) && is_digits(a.substr(b.size()));
}

bool end_alike(std::string_view a, std::string_view b) {
  return a.size() < b.size() ? end_alike(b, a) : a.ends_with(b) && is_digits(a.substr(0, a.size() - b.size()));
}

// Whether a number for each makes one name of them.
bool overlap(const Pattern& a, const Pattern& b) {
  if (a.suffix && b.suffix) return begin_alike(a.prefix, b.prefix) && end_alike(*a.suffix, *b.suffix);
  if (a.suffix) return fits(b.prefix, a.prefix, *a.suffix);
  return b.suffix ? fits(a.prefix, b.prefix, *b.suffix) : a.prefix == b.prefix;
}

bool are_one(const WrittenFile& a, const WrittenFile& b) {
  if (is_special(a.path)) return false;  // before links are followed: what /dev/stdout leads to may have no name
  if (overlap(pattern_of(a), pattern_of(b))) return true;
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
      if (param.type == ParamType::kFile && param.secret_env.empty())
        files.push_back({"stage " + stage.name, param.value});
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
