// Gives every stage the parameters that its kernel declares.
#pragma once

#include <map>
#include <string>

#include "compiler/check/graph.h"

namespace woa {

// Reports unknown, missing, ill-typed and secret parameters. The command line (`--param STAGE.NAME=VALUE`) wins over
// the graph, which wins over the default. Paths of files are relative to the folder of the file that states them
// (`file.folders`), those of the command line to the working directory, defaults to the graph; they become absolute.
void set_params(Graph& graph, const std::map<std::string, std::string>& command_line, const GraphFile& file,
                Report& report);

}  // namespace woa
