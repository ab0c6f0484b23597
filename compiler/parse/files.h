// The files that the compiler reads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compiler/diagnostics/report.h"

namespace woa {

// The text of a file, unsaved (Report::unsaved) or else from the disk; nothing after a report at `place`.
std::optional<std::string> read_file(const std::filesystem::path& path, const Place& place, Report& report);

// `path` made absolute; unchanged if there is no current folder.
std::string absolute_path(const std::filesystem::path& path);

}  // namespace woa
