#include "compiler/parse/files.h"

#include <system_error>
#include <utility>

#include "compiler/parse/yaml_tree.h"
#include "runtime/base/file.h"

namespace woa {
namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path, const Place& place, Report& report) {
  const std::string* const unsaved = report.unsaved(path);
  Result<std::string> text = unsaved != nullptr ? *unsaved : read_regular_file(path, kMaxYamlBytes + 1);
  if (!text.ok()) {
    report.add_looked_for(path.string());
    const bool absent = text.status().code() == Code::kNotFound;
    report.error(problem::kCannotRead, place, cat("cannot read ", quote_path(path), ": ", text.status().message()),
                 absent ? "check the path" : "check that it is a file and that you may read it");
    return std::nullopt;
  }
  if (text->size() > kMaxYamlBytes) {
    report.error(problem::kFileTooLarge, place,
                 cat(quote_path(path), " is too large: at most ", kMaxYamlBytes, " bytes are read"),
                 "check that this is the file you meant");
    return std::nullopt;
  }
  return std::move(*text);
}

std::string absolute_path(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? path : absolute).lexically_normal().string();
}

}  // namespace woa
