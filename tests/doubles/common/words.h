// The words that a double reads from its environment variable: "seed=7,devices=0,ignore=wait,fail=load@2".
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "runtime/base/status.h"

namespace woa::doubles {

// Reads "12", "64K", "64M" or "1G"; false: it is none.
bool read_number(std::string_view text, std::uint64_t& value);

template <class Number>
bool set_number(std::string_view text, Number& into) {
  std::uint64_t value = 0;
  if (!read_number(text, value)) return false;
  into = static_cast<Number>(value);
  return true;
}

// Cuts a word at the separator; false: it has none.
bool cut(std::string_view word, char separator, std::string_view& before, std::string_view& behind);

// Calls set(word) for each word of the text. kInvalid names the first that it refuses, and the file that lists them.
Status set_words(std::string_view text, std::string_view variable, std::string_view list,
                 const std::function<bool(std::string_view)>& set);

// The options that the variable holds, for the life of the process. A wrong word is printed, and ends it.
template <class Options>
const Options& options_of(const char* variable, Result<Options> (*parse)(std::string_view)) {
  const char* const text = std::getenv(variable);
  const Result<Options> parsed = parse(text == nullptr ? "" : text);
  if (!parsed.ok()) {
    std::fprintf(stderr, "%s\n", parsed.status().message().c_str());
    std::abort();
  }
  return *new Options(*parsed);
}

}  // namespace woa::doubles
