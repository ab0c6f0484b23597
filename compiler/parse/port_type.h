// The type of a port as files write it: `{type: "u8[height,width,3]", max: 16MiB}`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/parse/reader.h"
#include "runtime/plan/plan.h"

namespace woa {

inline constexpr std::size_t kMaxRank = 4;
inline constexpr std::uint64_t kMaxPortBytes = 64ULL << 30;

using DimensionBounds = std::map<std::string, std::uint32_t>;  // largest extent by name

// Reads keys `type` and `max` of a port. A missing `max` leaves max_bytes 0, unless all dimensions are fixed or
// bounded. `bounds` apply to named dimensions.
std::optional<PortType> read_port_type(const MapReader& port, const DimensionBounds& bounds, Report& report);
// Key `dims` of a file: `{channels: {max: 4}}`.
DimensionBounds read_dimension_bounds(const YamlNode* dims, Report& report);
// Reports dimensions that no type has: their bounds would have no effect. `dims` may be null.
void check_dimensions(const YamlNode* dims, const std::vector<PortType>& types, Report& report);

}  // namespace woa
