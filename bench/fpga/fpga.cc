#include "bench/fpga/fpga.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bench/fpga/kernel_host.h"
#include "compiler/compiler.h"

namespace woa::bench {
namespace {

// `copy` and `invert` behind each other on one card.
struct Chain {
  Plan plan;
  std::vector<LoadedStage> stages;  // in order; they point into the plan
};

Result<Chain> make_chain(const std::vector<std::filesystem::path>& kernel_path) {
  const std::string text =
      "woa: 1\ngraph: link\ninputs: {data: {type: bytes, max: " + std::to_string(FpgaOptions::kMostBytes) +
      "}}\nstages:\n  first: {kernel: copy, in: {data: data}, on: 'fpga:0'}\n"
      "  second: {kernel: invert, in: {data: first.data}, on: 'fpga:0'}\n"
      "outputs: {data: second.data}\n";
  CompileOptions options;
  options.kernel_path = kernel_path;
  Compilation made = compile_text(text, "the benchmark's graph", ".", options);
  if (!made.plan) return {Code::kNotFound, format(made.diagnostics.front(), false)};
  Chain chain{std::move(*made.plan), {}};
  for (const char* const name : {"first", "second"}) {
    const auto stage = std::ranges::find(chain.plan.stages, name, &StagePlan::name);
    chain.stages.push_back({static_cast<std::uint32_t>(stage - chain.plan.stages.begin()), &*stage, nullptr, nullptr});
  }
  return chain;
}

ActivationPacket packet_for(std::uint32_t stage, std::size_t bytes) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.stage = stage;
  packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  packet.payload_bytes = bytes;
  seal(packet);
  return packet;
}

class LinkBench {
 public:
  LinkBench(KernelHost& host, const Chain& chain, NodeLimits limits)
      : host_(host), chain_(chain), limits_(std::move(limits)) {}

  Result<LinkCycles> measure(std::size_t bytes) {
    std::vector<std::byte> payload(bytes), inverted(bytes);
    for (std::size_t k = 0; k < bytes; ++k) {
      payload[k] = static_cast<std::byte>(k * 37 >> 3);
      inverted[k] = ~payload[k];
    }
    LinkCycles cycles{.size = bytes};
    WOA_RETURN_IF_ERROR(load(false));
    WOA_ASSIGN_OR_RETURN(const auto first, fire(packet_for(chain_.stages[0].id, bytes), payload, {0}, payload));
    cycles.first = first.cycles;
    WOA_ASSIGN_OR_RETURN(const auto second, fire(first.packet, payload, {1}, inverted));
    cycles.second = second.cycles;
    WOA_RETURN_IF_ERROR(load(true));
    WOA_ASSIGN_OR_RETURN(const auto both, fire(packet_for(chain_.stages[0].id, bytes), payload, {0, 1}, inverted));
    cycles.both = both.cycles;
    return cycles;
  }

 private:
  // With the link on the card, as the plan has it, or apart.
  Status load(bool joined) {
    Plan plan = chain_.plan;
    for (EdgePlan& edge : plan.edges) edge.on_card = edge.on_card && joined;
    const auto tables = WactTables::make(plan, chain_.stages, limits_);
    return tables.ok() ? host_.load(*tables) : tables.status();
  }

  // Runs `links` of the chain, each of which must tell that it ran.
  Result<KernelRun> fire(const ActivationPacket& packet, std::span<const std::byte> payload,
                         const std::vector<std::uint64_t>& links, std::span<const std::byte> expected) {
    auto ran = host_.fire(packet, payload);
    if (!ran.ok()) return ran;
    const auto ends = [](std::uint64_t beat) { return beat & 0xffff'ffff; };  // with no rejection and no fault
    std::vector<std::uint64_t> entries;
    for (const std::uint64_t link : links) entries.push_back(link << wact::kCompletionEntry);
    if (!std::ranges::equal(ran->completions, entries, {}, ends))
      return {Code::kInternal, "the packet node does not tell that each stage ran"};
    if (!std::ranges::equal(ran->payload, expected))
      return {Code::kDataLoss,
              "the packet node's output is not " + std::to_string(expected.size()) + " bytes that the stages make"};
    return ran;
  }

  KernelHost& host_;
  const Chain& chain_;
  const NodeLimits limits_;
};

}  // namespace

Result<FpgaReport> bench_fpga(const std::vector<std::filesystem::path>& kernel_path, const FpgaOptions& chosen) {
  auto host = KernelHost::open(*std::ranges::max_element(chosen.sizes));
  if (!host.ok()) return host.status().with_context("the model of the card's kernel");
  WOA_ASSIGN_OR_RETURN(const auto chain, make_chain(kernel_path));
  WOA_ASSIGN_OR_RETURN(auto limits, host->describe());
  const auto clock = [](const LoadedStage& stage) { return stage.plan->variant.clock_mhz; };
  const double declared_mhz = std::ranges::min(chain.stages, {}, clock).plan->variant.clock_mhz;
  FpgaReport report{{chosen.clock_mhz.value_or(declared_mhz), chosen.pcie_us}, {}};
  LinkBench bench(*host, chain, std::move(limits));
  for (const std::uint64_t bytes : chosen.sizes) {
    const auto cycles = bench.measure(bytes);
    if (!cycles.ok()) return cycles.status().with_context(std::to_string(bytes) + " bytes");
    report.measured.push_back(*cycles);
  }
  return report;
}

}  // namespace woa::bench
