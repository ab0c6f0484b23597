// The links of a machine file: `links`, `default_link`, and those of `calibration` (docs/machine.md).
#pragma once

#include "compiler/parse/machine.h"
#include "compiler/parse/yaml_tree.h"

namespace woa {

// Reads the list `links` into `table`. Ends must be controllers of `machine`, or kinds that it has, unless it is open.
// Reports every problem.
void read_links(const YamlNode& node, const Machine& machine, LinkTable& table, Report& report);
// A time of at most a minute, in picoseconds. `what`: its key, for messages.
std::optional<std::uint64_t> read_latency_ps(const YamlNode& node, std::string_view what, Report& report);
// `default_link: {latency: 2us, bandwidth: 8GB/s}`.
std::optional<LinkCost> read_default_link(const YamlNode& node, Report& report);

// Reads the value of `calibration:` into `machine`, all that is valid: Machine::calibration, Machine::measured and what
// belongs to them. Reports every problem.
void read_calibration(const YamlNode& node, Machine& machine, Report& report);

}  // namespace woa
