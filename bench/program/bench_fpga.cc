#include "bench/program/bench_fpga.h"

#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/fpga/fpga.h"
#include "bench/program/bench_help.h"
#include "library/environment.h"
#include "library/option_values.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

using bench::LinkCycles;
using bench::LinkTimes;
using bench::ModelledTimes;
using nlohmann::json;

constexpr const char* kDevice = "wact_kernel with a memory port of 64 bits, RTL model";

constexpr std::array<std::pair<const char*, std::uint64_t LinkCycles::*>, 3> kRuns{
    {{"first stage", &LinkCycles::first},
     {"second stage", &LinkCycles::second},
     {"both stages, link on the card", &LinkCycles::both}}};
constexpr std::array<std::pair<const char*, LinkTimes ModelledTimes::*>, 3> kTimes{
    {{"link", &ModelledTimes::link},
     {"both stages", &ModelledTimes::stages},
     {"round trip", &ModelledTimes::round_trip}}};

json to_json(const bench::FpgaReport& report) {
  json measured = json::array(), modelled = json::array();
  for (const LinkCycles& cycles : report.measured) {
    for (const auto& [what, run] : kRuns)
      measured.push_back({{"what", what}, {"size", cycles.size}, {"cycles", cycles.*run}});
    const ModelledTimes times = model(cycles, report.speed);
    for (const auto& [what, part] : kTimes) {
      const LinkTimes& each = times.*part;
      modelled.push_back({{"what", what},
                          {"size", cycles.size},
                          {"on_card_us", each.on_card_us},
                          {"over_host_us", each.over_host_us},
                          {"ratio", each.ratio()}});
    }
  }
  return {{"bench", "fpga"},
          {"device", kDevice},
          {"simulated", true},
          {"clock_mhz", report.speed.clock_mhz},
          {"pcie_us", report.speed.pcie_us},
          {"measured", std::move(measured)},
          {"modelled", std::move(modelled)}};
}

void print_tables(const bench::FpgaReport& report) {
  std::printf("fpga on %s (simulated)\n\nmeasured: cycles of a run on the RTL\n", kDevice);
  std::printf("  %-30s %8s %10s\n", "RUN", "BYTES", "CYCLES");
  for (const LinkCycles& cycles : report.measured)
    for (const auto& [what, run] : kRuns)
      std::printf("  %-30s %8llu %10llu\n", what, static_cast<unsigned long long>(cycles.size),
                  static_cast<unsigned long long>(cycles.*run));
  std::printf("\nmodelled: us at %.6g MHz, with %.6g us of PCIe each way\n", report.speed.clock_mhz,
              report.speed.pcie_us);
  std::printf("  %-30s %8s %10s %10s %10s\n", "WHAT", "BYTES", "ON CARD", "OVER HOST", "RATIO");
  for (const LinkCycles& cycles : report.measured) {
    const ModelledTimes times = model(cycles, report.speed);
    for (const auto& [what, part] : kTimes) {
      const LinkTimes& each = times.*part;
      std::printf("  %-30s %8llu %10.3f %10.3f %8.2f x\n", what, static_cast<unsigned long long>(cycles.size),
                  each.on_card_us, each.over_host_us, each.ratio());
    }
  }
}

int run_fpga(const bench::FpgaOptions& chosen, bool as_json) {
  const auto report = bench::bench_fpga(kernel_path(), chosen);
  if (!report.ok())
    return fail(report.status(), report.status().code() == Code::kUnavailable ? kUnavailable : kFailed, as_json);
  as_json ? print_json(to_json(*report)) : print_tables(*report);
  return kDone;
}

}  // namespace

void add_fpga(CLI::App& parent, Action& action) {
  auto chosen = std::make_shared<bench::FpgaOptions>();
  auto as_json = std::make_shared<bool>(false);
  CLI::App& command = *parent.add_subcommand("fpga", "A link that stays on an FPGA card, beside the way over the host");
  command.footer(kAboutFpga);
  command.add_flag("--json", *as_json, "Print one JSON object on stdout");
  command.add_option("--size", chosen->sizes, "Bytes of a payload, with KiB or MiB; several, or a list with commas")
      ->transform(bytes(1, bench::FpgaOptions::kMostBytes))
      ->delimiter(',')
      ->option_text("SIZE,... [64,4KiB]");
  command.add_option("--clock-mhz", chosen->clock_mhz, "Clock of the card")
      ->transform(positive_number())
      ->option_text("FLOAT [as the kernels' kernel.yaml says]");
  command.add_option("--pcie-us", chosen->pcie_us, "Time from host to card, and from card to host")
      ->transform(positive_number())
      ->capture_default_str();
  command.callback([chosen, as_json, &action] { action = [chosen, as_json] { return run_fpga(*chosen, *as_json); }; });
}

}  // namespace woa::tools
