// The files that the compiler reads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compiler/diagnostics/report.h"

namespace woa {

// The text of a file, as it is unsaved (Report::unsaved) or on the disk; nothing after a report at `place`.
std::optional<std::string> read_file(const std::filesystem::path& path, const Place& place, Report& report);

// `path` from the root; as it is where there is no current folder.
std::string absolute_path(const std::filesystem::path& path);

}  // namespace woa
