// Which costs of links a placement rests on though nobody knows them.
#pragma once

#include <string>
#include <vector>

#include "runtime/plan/certificate.h"

namespace woa::tools {

// "cpu:0 - cpu:1": the links that its messages take under its call model, the same way as the prediction counts them,
// and that are neither measured nor in the machine file. By component.
std::vector<std::string> assumed_links(const Certificate& certificate);

}  // namespace woa::tools
