// What options take. The texts for refused values are ours: what was expected, and what was given.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace woa::tools {

// Whole numbers from `lowest` to `highest`, both included.
CLI::Validator within(std::uint64_t lowest, std::uint64_t highest);
// Whole numbers from 1 on.
CLI::Validator positive();
// Numbers above 0.
CLI::Validator positive_number();
// One of some names.
CLI::Validator one_of(const std::vector<std::string>& names);
// A whole number with one of `units`, which are multiples of the option's own; turned into that, of which there are
// `most`. `kind`, for --help: TIME.
CLI::Validator with_unit(const std::map<std::string, std::uint64_t>& units, std::uint64_t most,
                         const std::string& kind);
// Bytes, with KiB, MiB or GiB if wanted; turned into bytes.
CLI::Validator bytes();

}  // namespace woa::tools
