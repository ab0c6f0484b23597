// --report: a run as one HTML page, by the template of tools/report.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runtime/base/status.h"
#include "tools/woa/run_result.h"

namespace woa::tools {

// Events that a controller keeps for the page's timeline, if --trace does not ask for more.
inline constexpr std::uint64_t kPageEvents = 100'000;

// kUnavailable if this build has no template, or `file` cannot be written. Call before the run.
Status check_page(const std::filesystem::path& file);
// Writes what the run has: without a report the graph has no traffic, and there is no timeline.
Status write_page(const CommandResult& result, const std::filesystem::path& file);

}  // namespace woa::tools
