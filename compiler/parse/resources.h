// Resources that a controller has and a kernel takes: memory, multiprocessors of a GPU, the parts of an FPGA, and
// capabilities (`needs`).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/parse/machine.h"
#include "compiler/parse/reader.h"

namespace woa {

inline constexpr std::array<std::string_view, 6> kResourceNames{"memory", "sms", "luts", "ffs", "brams", "dsps"};
// The families of fpgas that have figures of their own, by the names that yosys gives them (tools/fpga-resources).
inline constexpr std::array<std::string_view, 2> kFamilies{"xc7", "xcup"};
// A part of an FPGA's core: all stages on the core share it.
constexpr bool is_part_of_core(std::string_view resource) noexcept {
  return resource == "luts" || resource == "ffs" || resource == "brams" || resource == "dsps";
}

// `keys` and the names of the resources.
std::vector<std::string> with_resource_names(std::vector<std::string> keys);
// The resources in the map: `memory` as a size, the others as numbers.
Resources read_resources(const MapReader& map, Report& report);
// The value of `resources: {luts: 1200, brams: 4}`.
Resources read_resource_use(const YamlNode& node, Report& report);
// The value of `resources` of a kernel's variant. That of an rtl variant may have the parts of each family:
// `{xc7: {luts: 1200}, xcup: {luts: 1400}}`.
ResourceUse read_variant_use(const YamlNode& node, bool is_rtl, Report& report);

struct NeedUse {
  std::string name;
  Place place;
};

// `node` may be null. Reports a node that is no list of names.
std::vector<NeedUse> read_needs(const YamlNode* node, Report& report);

}  // namespace woa
