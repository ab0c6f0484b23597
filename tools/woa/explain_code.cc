#include "tools/woa/explain_code.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "compiler/pages.h"
#include "compiler/problems.h"
#include "compiler/report.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

// Of several codes that are as few edits away, the one nearest in number.
std::string nearest_code(const std::string& code) {
  const auto number = [](const std::string& text) { return std::strtol(text.c_str() + 1, nullptr, 10); };
  std::vector<std::string> codes(problem::kAll.begin(), problem::kAll.end());
  std::stable_sort(codes.begin(), codes.end(), [&](const std::string& a, const std::string& b) {
    return std::labs(number(a) - number(code)) < std::labs(number(b) - number(code));
  });
  const std::string near = nearest(code, codes);
  return near.empty() ? codes.front() : near;
}

}  // namespace

std::string code_without_letter(const std::string& digits) {
  constexpr std::size_t kDigits = 4;
  std::error_code error;
  if (digits.empty() || digits.size() > kDigits || digits.find_first_not_of("0123456789") != std::string::npos ||
      std::filesystem::exists(digits, error))
    return {};
  const std::string code = "E" + std::string(kDigits - digits.size(), '0') + digits;
  return problem_page(code) ? code : std::string();
}

int explain_code(std::string code, bool as_json) {
  if (!code.empty()) code[0] = 'E';
  const auto page = problem_page(code);
  if (!page) {
    return fail({Code::kInvalid, "there is no code " + code + "; did you mean " + nearest_code(code) +
                                     "? all codes: docs/diagnostics.md"},
                kUsage, as_json);
  }
  if (as_json) {
    print_json({{"ok", true}, {"code", code}, {"title", page->title}, {"text", page->text}});
  } else {
    std::printf("%s: %s\n\n%s\n", code.c_str(), std::string(page->title).c_str(), std::string(page->text).c_str());
  }
  return kDone;
}

}  // namespace woa::tools
