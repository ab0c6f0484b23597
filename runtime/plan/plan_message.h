// Plan <-> protobuf message. Private to runtime/plan: no other file includes a generated header.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// The bytes of the message of plan.proto; the same plan gives the same bytes.
std::string encode_plan_message(const Plan& plan, std::string_view proofs);

// kInvalid: not such a message, an enumeration out of range, or bytes that encode_plan_message would not have written
// (unknown fields, another order). Does not call validate().
Result<Plan> decode_plan_message(std::span<const std::byte> bytes, std::string* proofs);

}  // namespace woa
