// Tells what a text that somebody is still writing is meant to be.
#pragma once

#include <string>

#include "compiler/parse/descriptions.h"

namespace woa {

// Judges by the keys of the outermost map, in every form of YAML: quoted, in braces, indented, or JSON. Text that is no
// YAML is judged by the keys before the error and by the words that lines begin with.
FileKind file_kind(const std::string& text);

}  // namespace woa
