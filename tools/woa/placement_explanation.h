// Explains the placement of a plan's stages, as a table and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "compiler/compiler.h"

namespace woa::tools {

// `reasons` belongs to plan.certificate.
void print_placement_reasons(const CertifiedPlan& plan, const PlacementReasons& reasons);
// {"stages": [{stage, controller, time_us, safe_factor: [least, most], elsewhere: [{controller, value_us, proved}]}],
//  "links": [{between, alike, latency_safe_factor, ps_per_kib_safe_factor}], "complete"}; null: no end was found.
nlohmann::json to_json(const CertifiedPlan& plan, const PlacementReasons& reasons);

}  // namespace woa::tools
