// Messages of the Language Server Protocol on stdin: each an HTTP-style header, an empty line and a body.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/base/status.h"

namespace woa::tools {

// The bytes of a body, from its header without the empty line. Field names ignore case, blanks around values do not
// count, other fields are skipped. kInvalid: no `Content-Length` of 1 to 64 MiB, or two that differ.
Result<std::size_t> content_length(std::string_view header);

class LspMessages {
 public:
  // True if next() has something to read.
  [[nodiscard]] bool waiting() const;
  // The body of the next message. Blocks. kUnavailable: there are no more. kInvalid: this is no message.
  [[nodiscard]] Result<std::string> next();

 private:
  [[nodiscard]] bool read_more();
  // The header of the next message, taken out of what was read, up to its empty line.
  [[nodiscard]] Result<std::string> take_header();

  std::string bytes_;
};

}  // namespace woa::tools
