// Certificate <-> protobuf message. Private to runtime/plan.
#pragma once

#include <plan.pb.h>

#include "runtime/plan/certificate.h"

namespace woa {

void encode(const Certificate& from, pb::Certificate& to);
Certificate decode(const pb::Certificate& from);

}  // namespace woa
