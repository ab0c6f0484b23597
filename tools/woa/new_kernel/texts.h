// The files of a new kernel, before its words are filled in.
#pragma once

#include <string_view>

namespace woa::tools {

// The text of tools/woa/new_kernel/FILE.in. A word between two @ stands for what only the user's wish decides. Empty:
// there is no such file.
std::string_view new_kernel_text(std::string_view file) noexcept;

}  // namespace woa::tools
