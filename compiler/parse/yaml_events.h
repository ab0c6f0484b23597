// The events of a YAML text. Nothing else uses the YAML library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/diagnostics/report.h"

namespace woa {

struct YamlEvent {
  enum class Kind : std::uint8_t { kDocument, kScalar, kAlias, kList, kMap, kClose, kEnd };
  Kind kind = Kind::kEnd;
  Place place;
  std::string text = {};    // of a scalar, or `*name`
  std::string tag = {};     // as written, handles resolved; empty: none
  bool plain = true;        // a scalar without quotes
  std::string anchor = {};  // `&name` stands before it, or it is the alias `*name`
};

class YamlEvents {
 public:
  // `source` must be well-formed UTF-8, and outlive this.
  YamlEvents(std::uint32_t source, Report& report);
  ~YamlEvents();
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;

  // The next event, the last one being kEnd; nothing, after a report, if the text is not YAML. A hidden character in a
  // text without quotes is reported, but not its consequences: refused() is true then.
  std::optional<YamlEvent> next();
  [[nodiscard]] bool refused() const noexcept;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace woa
