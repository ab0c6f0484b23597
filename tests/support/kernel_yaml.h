// Reads one variant from a kernel.yaml, for tests that build plans without the compiler.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "runtime/plan/plan.h"

namespace woa::test {

// Throws YAML::Exception if the file or the variant does not exist.
inline VariantPlan read_variant(const std::string& kernel_yaml, const std::string& kind) {
  const YAML::Node node = YAML::LoadFile(kernel_yaml)["variants"][kind];
  VariantPlan variant;
  variant.kind = kind;
  variant.source = node["source"].as<std::string>("");
  variant.entry = node["entry"].as<std::string>("");
  variant.core = node["core"].as<std::string>("");
  variant.clock_mhz = node["clock_mhz"].as<std::uint32_t>(0);
  variant.has_size = node["size"].as<bool>(false);
  for (const YAML::Node& name : node["global"]) variant.global.push_back(name.as<std::string>());
  for (const YAML::Node& threads : node["block"]) variant.block.push_back(threads.as<std::uint32_t>());
  variant.shared_bytes = node["shared"].as<std::uint32_t>(0);
  variant.resident = node["resident"].as<bool>(false);
  return variant;
}

}  // namespace woa::test
