// --report: a run as one HTML page, by the template of tools/report.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/base/status.h"

namespace woa::tools {

// kUnavailable if this build has no template, or `file` cannot be written. Call before the run.
Status check_page(const std::filesystem::path& file);
// `run`: the object of `woa run --json`.
Status write_page(const nlohmann::json& run, const std::filesystem::path& file);

}  // namespace woa::tools
