// The links of a machine file: `links`, `default_link`, and those that were measured (docs/machine.md).
#pragma once

#include "compiler/parse/machine.h"
#include "compiler/parse/yaml_tree.h"

namespace woa {

// The list `links`, into `table`. Ends must be controllers of `machine`, or kinds of which it has some, unless it is
// open. What is wrong has been reported.
void read_links(const YamlNode& node, const Machine& machine, LinkTable& table, Report& report);
// A time of at most a minute, in picoseconds. `what`: its key, for messages.
std::optional<std::uint64_t> read_latency_ps(const YamlNode& node, std::string_view what, Report& report);
// `default_link: {latency: 2us, bandwidth: 8GB/s}`.
std::optional<LinkCost> read_default_link(const YamlNode& node, Report& report);

// The value of `calibration:`, as far as it could be read: Machine::calibration and Machine::measured. What is wrong
// with it has been reported.
void read_calibration(const YamlNode& node, Machine& machine, Report& report);

}  // namespace woa
