// Guesses the kind of a file that may be unfinished.
#pragma once

#include <string>

#include "compiler/parse/descriptions.h"

namespace woa {

// Judges by the keys of the outermost map, in every form of YAML: quoted, in braces, indented, or JSON. Invalid YAML is
// judged by the keys before the error and by the words that begin its lines.
FileKind file_kind(const std::string& text);

}  // namespace woa
