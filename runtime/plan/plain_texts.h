// Finds the first of a plan's texts that is not plain. Numbers give its place, because names may be what is wrong.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/base/status.h"

namespace woa::validation {

// True for UTF-8 without control characters.
bool is_plain(std::string_view text);

class PlainTexts {
 public:
  explicit PlainTexts(std::string place = "") : place_(std::move(place)) {}

  void text(std::string_view field, std::string_view value) {
    if (found_.empty() && !is_plain(value)) found_ = place_ + std::string(field);
  }
  void within(const std::string& place, const auto& look) {
    const std::size_t outside = place_.size();
    place_ += place + ".";
    look();
    place_.resize(outside);
  }
  void each(const std::string& list, const auto& items, const auto& look) {
    std::size_t number = 0;
    for (const auto& item : items) within(list + "[" + std::to_string(number++) + "]", [&] { look(item); });
  }
  // kInvalid: the first text that is not plain.
  [[nodiscard]] Status status() const;

 private:
  std::string place_, found_;
};

}  // namespace woa::validation
