#include "controllers/fpga/verilator/wact_driver.h"

#include <vector>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/verilator/wact_stream.h"

namespace woa {
namespace {

using namespace wact;  // NOLINT: the register names

// After this many cycles in which no beat moves, the model counts as broken. A core's longest pause is its line buffer.
constexpr std::uint64_t kStuckCycles = 1'000'000;

void write_table(WactModel& model, std::uint32_t table, std::span<const std::uint32_t> words) noexcept {
  for (std::uint32_t w = 0; w < words.size(); ++w) model.write(table + w, words[w]);
}

// Clocks the node until it has told of the firing's end and is idle. False: it hangs.
bool stream(WactModel& model, WactFiring& firing, std::uint64_t& cycles) noexcept {
  std::span<const WactRequest> requests = firing.requests();
  BeatSource source(requests.front().header, requests.front().payload);
  BeatSink sink(firing);
  std::span<const std::uint64_t> landings = firing.landings();
  std::size_t frames = requests.size();  // to send, this one included
  WactInput input;
  for (std::uint64_t quiet = 0; quiet < kStuckCycles; ++cycles, ++quiet) {
    input.s_tvalid = !source.done();
    if (input.s_tvalid) {
      input.s_tdata = source.beat();
      input.s_tlast = source.last();
    }
    input.l_tvalid = !landings.empty();
    if (input.l_tvalid) {
      input.l_tdata = landings.front();
      input.l_tlast = landings.size() == 1;
    }
    const WactOutput output = model.cycle(input);
    if (firing.ended() && output.idle) {
      if (!sink.whole()) firing.damage("a packet has no end");
      return true;
    }
    if (input.l_tvalid && output.l_tready) landings = landings.subspan(1);
    if (landings.empty() && frames > 1) --frames, landings = firing.landings();
    if (output.c_tvalid) firing.completion(output.c_tdata, output.c_tlast);
    if (input.s_tvalid && output.s_tready) source.advance();
    if (source.done() && requests.size() > 1) {
      requests = requests.subspan(1);
      source = {requests.front().header, requests.front().payload};
    }
    if (output.m_tvalid) sink.take(output);
    if ((input.s_tvalid && output.s_tready) || output.m_tvalid) quiet = 0;
  }
  return false;
}

}  // namespace

Status WactDriver::load(const Plan& plan, std::span<const LoadedStage> stages) {
  if (model_.read(kRegId) != kId) return {Code::kInternal, "the model does not answer as a packet node"};
  const std::uint32_t limits = model_.read(kRegLimits);
  std::vector<std::uint32_t> names(core_name_words(limits));
  for (std::uint32_t w = 0; w < names.size(); ++w) names[w] = model_.read(kRegCoreName + w);
  auto tables = WactTables::make(plan, stages, node_limits(limits, names, model_.read(kRegMatches)));
  if (!tables.ok()) return tables.status();
  write_table(model_, kRegStageTable, tables->stage_words());
  write_table(model_, kRegRouteTable, tables->route_words());
  model_.write(kRegStages, static_cast<std::uint32_t>(tables->stage_words().size() / kEntryWords));
  way_.emplace(tables_.emplace(std::move(*tables)));
  return {};
}

void WactDriver::run(Firing& firing) noexcept {
  if (!way_->begin(firing)) return;
  std::uint64_t cycles = 0;
  if (!stream(model_, *way_, cycles)) return way_->lose(Code::kInternal, "the packet node's model hangs");
  way_->finish();
  if (firing.joined.empty()) firing.cycles = cycles;
}

}  // namespace woa
