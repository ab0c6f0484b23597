// --dot and --svg: pictures of a plan.
#pragma once

#include <filesystem>
#include <vector>

#include "CLI/CLI.hpp"
#include "compiler/compiler.h"
#include "runtime/base/status.h"
#include "tools/woa/kept_files.h"

namespace woa::tools {

struct DrawingOptions {
  std::filesystem::path dot, svg;  // files to write; empty: none
};
// --dot and --svg, those that are given.
std::vector<WrittenFile> drawn_files(const DrawingOptions& options);
void add_drawing_options(CLI::App& command, DrawingOptions& options);

// Writes what is asked for. Graphviz's program `dot` lays the stages out for SVG. kUnavailable: a file that cannot be
// written, or for SVG alone: `dot` is not here, failed, or took more than a minute; nothing is written then.
Status draw(const CertifiedPlan& plan, const DrawingOptions& options);

}  // namespace woa::tools
