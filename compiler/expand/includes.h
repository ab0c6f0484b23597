// Loads the files that a graph includes.
#pragma once

#include <filesystem>
#include <string>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/graph_file.h"

namespace woa {

inline constexpr std::size_t kMaxIncludedFiles = 256;
inline constexpr std::size_t kMaxIncludeDepth = 32;
inline constexpr std::size_t kMaxIncludedBytes = 64U << 20;  // all files together

// Reads the files that `file` includes, and those that they include, each once; adds their sub-graphs and kernels to
// those of `file`, and sets `file.folders`. `path` is the file's own; its paths are relative to `folder`. Reports a
// file that cannot be read, includes itself or is a graph of its own, and more files than the limits above allow.
void load_includes(GraphFile& file, const std::filesystem::path& path, const std::filesystem::path& folder,
                   Report& report);

}  // namespace woa
