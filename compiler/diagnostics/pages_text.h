// The text of docs/diagnostics.md, as CMake puts it into pages_text.cc.
#pragma once

#include <span>
#include <string_view>

namespace woa::internal {

// The text before the first "\n## ", and then the text after each.
std::span<const std::string_view> page_sections() noexcept;

}  // namespace woa::internal
