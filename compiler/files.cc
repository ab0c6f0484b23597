#include "compiler/files.h"

#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "compiler/parse/yaml_tree.h"

namespace woa {
namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path, const Place& place, Report& report) {
  std::error_code error;
  const std::uintmax_t bytes = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  if (bytes > kMaxYamlBytes) {
    report.error(problem::kFileTooLarge, place,
                 cat(quote_path(path), " has ", bytes, " bytes, at most ", kMaxYamlBytes, " are read"),
                 "check that this is the file you meant");
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  const bool regular = fs::is_regular_file(path, error);
  if (regular && stream) text << stream.rdbuf();
  if (!regular || !stream || stream.bad()) {
    const bool exists = fs::exists(path, error);
    const bool folder = fs::is_directory(path, error);
    const std::string_view why = folder ? ": it is a folder" : exists ? "" : ": there is no such file";
    report.error(problem::kCannotRead, place, cat("cannot read ", quote_path(path), why),
                 exists ? "check that it is a file and that you may read it" : "check the path");
    return std::nullopt;
  }
  return std::move(text).str();
}

std::string absolute_path(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? path : absolute).lexically_normal().string();
}

}  // namespace woa
