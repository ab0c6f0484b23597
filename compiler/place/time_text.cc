#include "compiler/place/time_text.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include "compiler/report.h"

namespace woa {

std::string time_text(assign::Sum ps) {
  constexpr double kPsPerUs = 1e6;
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%.6g us", static_cast<double>(ps) / kPsPerUs);
  return out.data();
}

std::string option_text(assign::Sum ps) {
  static constexpr std::array<std::pair<std::uint64_t, std::string_view>, 3> kLarger{
      {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}}};
  const auto ns = static_cast<std::uint64_t>((ps + 999) / 1000);
  for (const auto& [size, unit] : kLarger)
    if (ns != 0 && ns % size == 0) return cat(ns / size, unit);
  return cat(ns, "ns");
}

}  // namespace woa
