// A plan's certificate in words and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/compiler.h"

namespace woa {

// "woa: one instance takes 12.3 us by the profile; no placement is better: proved (tree)"; then the bounds asked for,
// the total price and power, a note if times are modelled, and one if costs of links that its messages take are
// assumed.
std::string summary(const Certificate& certificate);
// Keys: model objective copies status method value_us bound_us gap_percent leaves costs_hash assumed_links modelled
// prediction;
// max_latency_us max_period_us max_price max_power_w if they were asked for; price and power_w of the controllers in
// use if the machine file has them.
nlohmann::json to_json(const Certificate& certificate);
// Keys: messages calls hops payload_bytes serial_us critical_path_us critical_kernels_us alone_us bottleneck period_us
// predicted_us.
nlohmann::json to_json(const Prediction& prediction);

// "cpu:0 - cpu:1": the links that its messages take under its call model, counted as the prediction counts them, whose
// costs are neither measured nor in the machine file. By component.
std::vector<std::string> assumed_links(const Certificate& certificate);

}  // namespace woa
