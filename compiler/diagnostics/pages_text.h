// The text of docs/diagnostics.md, as CMake puts it into pages_text.cc.
#pragma once

#include <span>
#include <string_view>

namespace woa::internal {

// What stands before the first "\n## ", and then what follows each.
std::span<const std::string_view> page_sections() noexcept;

}  // namespace woa::internal
