// Plan <-> protobuf message. Private to runtime/plan.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// The same plan gives the same bytes.
std::string encode_plan_message(const Plan& plan, std::string_view proofs);

// kInvalid: not such a message, an enumeration out of range, or bytes that encode_plan_message would not have written
// (unknown fields, another order). Does not call validate().
Result<Plan> decode_plan_message(std::string_view bytes, std::string* proofs);

}  // namespace woa
