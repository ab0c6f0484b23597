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
  if (certificate.status == "proved") return "no placement is better: proved";
  if (certificate.status == "claimed") return "no placement is better: so says a solver, which nobody can check";
  if (certificate.status == "gap")
    return "no placement is better by more than " + number_text("%.3g", rounded_up(percent_above(certificate))) + " %";
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
          {"status", certificate.status},
          {"method", certificate.method},
          {"value_us", value_in_us(certificate.value_ps)},
          {"bound_us", value_in_us(certificate.bound_ps)},
          {"gap_percent", percent_above(certificate)},
          {"leaves", certificate.leaves.size()},
          {"costs_hash", certificate.costs_hash},
          {"prediction", to_json(certificate.prediction)}};
}

nlohmann::json to_json(const Prediction& prediction) {
  const auto number = [](std::uint64_t thousandths) { return static_cast<double>(thousandths) / kPerMille; };
  return {{"messages", number(prediction.messages)},
          {"calls", number(prediction.calls)},
          {"hops", number(prediction.hops)},
          {"payload_bytes", prediction.payload_bytes},
          {"serial_us", value_in_us(prediction.serial_ps)},
          {"critical_path_us", value_in_us(prediction.critical_path_ps)},
          {"critical_kernels_us", value_in_us(prediction.critical_kernels_ps)},
          {"bottleneck", prediction.bottleneck},
          {"period_us", value_in_us(prediction.period_ps)},
          {"predicted_us", value_in_us(prediction.time_ps())}};
}

}  // namespace woa::tools
