#include "tests/doubles/common/words.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace woa::doubles {

bool read_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  value <<= shift;
  return unit.empty() || shift != 0;
}

bool cut(std::string_view word, char separator, std::string_view& before, std::string_view& behind) {
  const std::size_t at = word.find(separator);
  if (at == std::string_view::npos) return false;
  before = word.substr(0, at);
  behind = word.substr(at + 1);
  return true;
}

Status set_words(std::string_view text, std::string_view variable, std::string_view list,
                 const std::function<bool(std::string_view)>& set) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (set(word)) continue;
    return {Code::kInvalid, std::string(variable) + ": unknown word \"" + std::string(word) + "\"; " +
                                std::string(list) + " lists the words"};
  }
  return {};
}

}  // namespace woa::doubles
