// Validators of options. The texts for refused values are ours: what was expected, and what was given.
//
// Numbers are read here, as in files (runtime/base/scalar.h), and handed on in digits: CLI11 would read `010` as 8. So
// use these in transform(), never in check(), which drops what they hand on.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/scalar.h"

namespace woa {

inline constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

// Whole numbers from `lowest` to `highest`, both included.
CLI::Validator within(std::uint64_t lowest, std::uint64_t highest);
// Whole numbers from 1 on.
CLI::Validator positive();
// Numbers above 0.
CLI::Validator positive_number();
// One of some names.
CLI::Validator one_of(const std::vector<std::string>& names);
// A whole number with one of `units`: multiples of the option's own unit, smallest first. Converts to the option's own
// unit, at most `most`. `kind`, for --help: TIME.
CLI::Validator with_unit(std::span<const Unit> units, std::uint64_t most, const std::string& kind);
// Bytes, with KiB, MiB or GiB if wanted, from `lowest` to `highest`; turned into bytes.
CLI::Validator bytes(std::uint64_t lowest = 1, std::uint64_t highest = kMostBytes);

}  // namespace woa
