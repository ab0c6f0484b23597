// A plan's certificate in words and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/plan/certificate.h"

namespace woa::tools {

// "woa: one instance takes 12.3 us by the profile; no placement is better: proved (tree)"; where price or power
// are bounded also what they come to.
std::string summary(const Certificate& certificate);
// model objective status method value_us bound_us gap_percent leaves costs_hash, and price and power_w of the
// controllers in use where the machine file has them.
nlohmann::json to_json(const Certificate& certificate);

}  // namespace woa::tools
