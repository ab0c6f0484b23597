#include "compiler/diagnostics/pages.h"

#include <algorithm>

#include "compiler/diagnostics/pages_text.h"

namespace woa {
namespace {

constexpr std::string_view kFence = "```";

std::string_view trim(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of('\n'), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

// `section` without the heading of the next group of codes.
std::string_view without_next_heading(std::string_view section) {
  const std::size_t heading = section.rfind("\n# ");
  const std::size_t fence = section.rfind(kFence);
  const bool last = heading != std::string_view::npos && (fence == std::string_view::npos || fence < heading);
  return last ? section.substr(0, heading) : section;
}

}  // namespace

std::optional<ProblemPage> problem_page(std::string_view code) noexcept {
  for (const std::string_view section : internal::page_sections()) {
    const std::size_t colon = section.find(": ");
    if (code.empty() || section.substr(0, colon) != code) continue;
    const std::size_t end = section.find('\n');
    return ProblemPage{section.substr(colon + 2, end - colon - 2), trim(without_next_heading(section.substr(end)))};
  }
  return std::nullopt;
}

bool is_problem_code(std::string_view text) noexcept {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return text.size() > 1 && (text[0] == 'E' || text[0] == 'e') && std::all_of(text.begin() + 1, text.end(), digit);
}

}  // namespace woa
