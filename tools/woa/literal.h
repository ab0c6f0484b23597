// Small inputs on the command line: i64:3, f32[2,2]:1,0,0,1, bytes:hello.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa::tools {

// True if `text` begins with the name of a type and a colon; a file of such a name is given as ./i64:3.
bool is_literal(const std::string& text);

// The payload that `text` stands for. kInvalid: it does not fit `type`; the message says what was expected.
Result<std::vector<std::byte>> parse_literal(const PortType& type, const std::string& text);

// A literal that `type` takes, for messages: "i64:3".
std::string literal_like(const PortType& type);

}  // namespace woa::tools
