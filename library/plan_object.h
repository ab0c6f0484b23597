// A woa_plan.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "library/load_plan.h"
#include "library/read_files.h"

struct woa_plan {
  woa::CertifiedPlan plan;   // without the call model's routes: what a file holds
  woa::CertifiedPlan calls;  // with them: what runs
  std::string graph_hash;    // empty: it was read from a plan's file
  std::vector<woa::ReadFile> read;
};

namespace woa {

// The value of woa_plan_text(plan, "json").
nlohmann::json to_json(const woa_plan& plan);

}  // namespace woa
