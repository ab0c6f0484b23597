// Gives every stage the parameters that its kernel declares.
#pragma once

#include <filesystem>

#include "compiler/check/graph.h"

namespace woa {

// Reports unknown, missing, ill-typed and secret parameters. The command line (`--param STAGE.NAME=VALUE`) wins over
// the graph, which wins over the default. Files that the
// graph names are relative to `folder`, those of the command line to the working directory; the value becomes absolute.
void set_params(Graph& graph, const std::map<std::string, std::string>& command_line,
                const std::filesystem::path& folder, Report& report);

}  // namespace woa
