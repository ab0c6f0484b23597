// Finds the first of a message's texts that is not plain (message.h). Numbers give its place, because names may be what
// is wrong.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/message.h"

namespace woa::validation {

// True for UTF-8 without control characters.
bool is_plain(std::string_view text);

class PlainTexts {
 public:
  explicit PlainTexts(std::string place = "") : place_(std::move(place)) {}

  void operator()(std::uint32_t /*field*/, std::string_view name, const auto& value) { look(std::string(name), value); }
  // kInvalid: the first text that is not plain.
  [[nodiscard]] Status status() const;

 private:
  void look(const std::string& name, const std::string& text) {
    if (found_.empty() && !is_plain(text)) found_ = place_ + name;
  }
  void look(const std::string& /*name*/, const message::Pairs& /*numbers*/) {}
  template <class T>
  void look(const std::string& name, const T& value) {
    constexpr bool is_number = std::integral<T> || message::Wrapped<T>, may_be_any = requires { value.valid(); };
    if constexpr (!is_number && !may_be_any) within(name, [&] { fields(*this, value); });
  }
  template <class T>
  void look(const std::string& name, const std::optional<T>& value) {
    if (value) look(name, *value);
  }
  template <class T>
  void look(const std::string& name, const std::vector<T>& list) {
    if constexpr (!std::integral<T>) {
      each(name, list, [&](const T& item) {
        if constexpr (std::is_same_v<T, std::string>)
          look("name", item);
        else
          fields(*this, item);
      });
    }
  }
  template <class Key, class Value>
  void look(const std::string& name, const std::map<Key, Value>& map) {
    each(name, map, [&](const auto& entry) { look("key", entry.first); });
  }
  template <class Key, class Value>
  void look(const std::string& name, const std::vector<std::map<Key, Value>>& maps) {
    each(name, maps, [&](const auto& map) { look("of", map); });
  }
  void within(const std::string& place, const auto& look_there) {
    const std::size_t outside = place_.size();
    place_ += place + ".";
    look_there();
    place_.resize(outside);
  }
  void each(const std::string& list, const auto& items, const auto& look_there) {
    std::size_t number = 0;
    for (const auto& item : items) within(list + "[" + std::to_string(number++) + "]", [&] { look_there(item); });
  }

  std::string place_, found_;
};

}  // namespace woa::validation
