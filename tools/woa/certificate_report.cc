#include "tools/woa/certificate_report.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace woa::tools {
namespace {

constexpr double kPerUs = 1e6;

double value_in_us(std::int64_t ps) { return static_cast<double>(ps) / kPerUs; }

// Of the value.
double percent_above(const Certificate& certificate) {
  if (certificate.value_ps <= 0) return 0;
  return 100 * static_cast<double>(certificate.value_ps - certificate.bound_ps) /
         static_cast<double>(certificate.value_ps);
}

std::string number_text(const char* format, double number) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), format, number);
  return out.data();
}

// To three digits.
double rounded_up(double number) {
  if (number <= 0) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(number)) - 2);
  return std::ceil(number / unit) * unit;
}

std::string what_is_known(const Certificate& certificate) {
  std::string none = "no placement is better";
  if (certificate.goal.copies > 1)
    none = "no placement with up to " + std::to_string(certificate.goal.copies) + " copies of a stage is better";
  if (certificate.status == "proved") return none + ": proved";
  if (certificate.status == "claimed") return none + ": so says a solver, which nobody can check";
  if (certificate.status == "gap")
    return none + " by more than " + number_text("%.3g", rounded_up(percent_above(certificate))) + " %";
  return "how good that is was not found out";
}

}  // namespace

std::string summary(const Certificate& certificate) {
  const bool latency = certificate.goal.objective == "latency";
  return certificate.goal.model + ": " + (latency ? "one instance takes " : "an instance every ") +
         number_text("%.6g us", value_in_us(certificate.value_ps)) + " by the profile; " + what_is_known(certificate) +
         " (" + certificate.method + ")";
}

nlohmann::json to_json(const Certificate& certificate) {
  return {{"model", certificate.goal.model},
          {"objective", certificate.goal.objective},
          {"copies", certificate.goal.copies},
          {"status", certificate.status},
          {"method", certificate.method},
          {"value_us", value_in_us(certificate.value_ps)},
          {"bound_us", value_in_us(certificate.bound_ps)},
          {"gap_percent", percent_above(certificate)},
          {"leaves", certificate.leaves.size()},
          {"costs_hash", certificate.costs_hash}};
}

}  // namespace woa::tools
