// The way of aggregated_way.cc, whose sizes differ from program to program.
#pragma once

#include "tests/cts/onesided/rig.h"

namespace woa::cts {

Sharing aggregated_sharing();
onesided::LinkSpec aggregated_link();

}  // namespace woa::cts
