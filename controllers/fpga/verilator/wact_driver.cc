#include "controllers/fpga/verilator/wact_driver.h"

#include <algorithm>
#include <array>
#include <bit>

#include "controllers/fpga/verilator/wact_stream.h"
#include "controllers/fpga/wact_registers.h"

namespace woa {
namespace {

using namespace wact;  // NOLINT: the register names

constexpr const KnownBackend& kBackend = *find_backend("verilator");
constexpr std::uint64_t kMostBytes = 0x7fffffff;  // the node refuses larger payloads
// After this many cycles in which no beat moves, the model counts as broken. A core's longest pause is its line buffer.
constexpr std::uint64_t kStuckCycles = 1'000'000;

std::uint32_t bounded(std::uint64_t bytes) { return static_cast<std::uint32_t>(std::min(bytes, kMostBytes)); }
// An input without a bound of its own has max_bytes 0.
std::uint32_t input_bound(const PortType& type) { return bounded(type.max_bytes == 0 ? kMostBytes : type.max_bytes); }
std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

// Writes the extents as the stage table holds them. Returns a bit for each variable extent.
std::uint32_t table_dims(const PortType& type, std::span<std::uint32_t> words) {
  std::fill_n(words.begin(), WOA_MAX_RANK, 1u);
  std::uint32_t variable = 0;
  for (std::size_t d = 0; d < type.dims.size(); ++d) {
    const Dimension& dim = type.dims[d];
    words[d] = dim.size != 0 ? dim.size : dim.max != 0 ? dim.max : ~0u;
    if (dim.size == 0) variable |= 1u << d;
  }
  if (type.dims.empty()) words[0] = ~0u;  // bounded in bytes
  return variable;
}

std::string place(const StagePlan& stage) { return "stage '" + stage.name + "' (kernel '" + stage.kernel + "')"; }

Status check_stage(const StagePlan& stage) {
  if (stage.role != StageRole::kKernel) {
    return {Code::kUnsupported, place(stage) + ": an FPGA node runs kernels only; place it on another controller"};
  }
  if (stage.variant.kind != kBackend.variant) {
    return {Code::kUnsupported, place(stage) + " has no rtl variant; place it on another controller"};
  }
  const std::string_view beyond = first_beyond(features_of(stage.inputs, stage.outputs, stage.stateful), kBackend.runs);
  if (!beyond.empty()) {
    return {Code::kUnsupported,
            place(stage) + " " + std::string(beyond) + ", which an rtl kernel cannot; place it on another controller"};
  }
  if (stage.inputs[0].hold) {
    return {Code::kUnsupported, place(stage) + ": the input of an rtl kernel is not held"};
  }
  for (const PortType* type : {&stage.inputs[0].type, &stage.outputs[0].type}) {
    if (type->dims.size() > WOA_MAX_RANK || !std::has_single_bit(element_bytes(type->element))) {
      return {Code::kUnsupported, place(stage) + ": type " + to_string(*type) + " does not fit the node's stage table"};
    }
  }
  return {};
}

}  // namespace

Status WactDriver::load(const Plan& plan, std::span<const LoadedStage> stages) {
  if (model_.read(kRegId) != kId) return {Code::kInternal, "the model does not answer as a packet node"};
  for (const LoadedStage& stage : stages) WOA_RETURN_IF_ERROR(load_stage(plan, stage));
  model_.write(kRegStages, static_cast<std::uint32_t>(loaded_.size()));
  return {};
}

Result<std::uint32_t> WactDriver::find_core(const StagePlan& stage) {
  const std::uint32_t cores = model_.read(kRegLimits) & 0xff;
  std::string known;
  for (std::uint32_t core = 0; core < cores; ++core) {
    std::string name;
    for (std::uint32_t word = 4; word-- > 0;) {
      const std::uint32_t text = model_.read(kRegCoreName + 4 * core + word);
      for (const std::uint32_t shift : {24u, 16u, 8u, 0u}) {
        if (const char c = static_cast<char>(text >> shift); c != '\0') name += c;
      }
    }
    if (name == stage.variant.core) return core;
    known += (known.empty() ? "" : ", ") + name;
  }
  return {Code::kUnsupported,
          place(stage) + ": core '" + stage.variant.core + "' is not in this node; it has " + known};
}

Status WactDriver::load_stage(const Plan& plan, const LoadedStage& loaded) {
  const StagePlan& stage = *loaded.plan;
  WOA_RETURN_IF_ERROR(check_stage(stage));
  const Result<std::uint32_t> core = find_core(stage);
  if (!core.ok()) return core.status();

  LoadedRoutes routes{loaded.id, routes_used_, {}, PortShape(stage.inputs[0].type), PortShape(stage.outputs[0].type)};
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    if (plan.edges[e].from_stage != loaded.id || plan.edges[e].count) continue;
    routes.edges.push_back(e);
    (void)channel_of(plan, plan.edges[e]);
  }
  const std::uint32_t limits = model_.read(kRegLimits);
  const std::uint32_t most_stages = (limits >> 8) & 0xff, most_routes = ((limits >> 16) & 0xff) * 16,
                      channels = limits >> 24;
  if (loaded_.size() >= most_stages || routes_used_ + routes.edges.size() > most_routes ||
      channels_.size() > channels) {
    return {Code::kUnsupported, place(stage) + ": the node's tables hold " + std::to_string(most_stages) + " stages, " +
                                    std::to_string(most_routes) + " routes and " + std::to_string(channels) +
                                    " channels; use another fpga controller for some of the stages"};
  }
  for (const std::uint32_t e : routes.edges) load_route(plan, routes_used_++, plan.edges[e]);

  const PortType &in = stage.inputs[0].type, &out = stage.outputs[0].type;
  std::array<std::uint32_t, kEntryWords> words{};
  const std::uint32_t in_variable = table_dims(in, std::span(words).subspan(kStageInDims));
  const std::uint32_t out_variable = table_dims(out, std::span(words).subspan(kStageOutDims));
  words[kStageNumber] = loaded.id;
  words[kStageFlags] = *core | in_variable << 8 | out_variable << 12 |
                       static_cast<std::uint32_t>(std::countr_zero(element_bytes(in.element))) << 16 |
                       (in.dims.empty() ? 1u << 18 : 0u) | (out.dims.empty() ? 1u << 19 : 0u);
  words[kStageRoutes] = routes.first | static_cast<std::uint32_t>(routes.edges.size()) << 16;
  words[kStageOutMax] = bounded(out.max_bytes);
  words[kStageInMax] = input_bound(in);
  write_entry(kRegStageTable, static_cast<std::uint32_t>(loaded_.size()), words);
  order_.resize(std::max(order_.size(), routes.edges.size()));
  loaded_.push_back(std::move(routes));
  return {};
}

// The number of the channel's sequence counter. Edges that stay on this controller have one, too.
std::uint32_t WactDriver::channel_of(const Plan& plan, const EdgePlan& edge) {
  const auto next = static_cast<std::uint32_t>(channels_.size());
  return channels_.try_emplace({plan.stages[edge.to_stage].controller, edge.lane}, next).first->second;
}

void WactDriver::load_route(const Plan& plan, std::uint32_t entry, const EdgePlan& edge) {
  std::array<std::uint32_t, kEntryWords> words{};
  words[kRouteStage] = edge.to_stage;
  words[kRoutePort] = edge.to_port;
  words[kRouteChannel] = channel_of(plan, edge);
  words[kRouteKeep] = low(edge.keep);
  words[kRouteKeep + 1] = high(edge.keep);
  words[kRouteStep] = low(edge.step);
  words[kRouteStep + 1] = high(edge.step);
  write_entry(kRegRouteTable, entry, words);
}

void WactDriver::write_entry(std::uint32_t table, std::uint32_t entry, std::span<const std::uint32_t> words) noexcept {
  for (std::uint32_t w = 0; w < words.size(); ++w) model_.write(table + entry * kEntryWords + w, words[w]);
}

const WactDriver::LoadedRoutes* WactDriver::routes_of(std::uint32_t stage) const noexcept {
  const auto it = std::ranges::find(loaded_, stage, &LoadedRoutes::stage);
  return it == loaded_.end() ? nullptr : &*it;
}

// Tells the node where the payload will lie at the consumers. False: the firing does not have this stage's routes.
bool WactDriver::write_landing(const LoadedRoutes& routes, Firing& firing) noexcept {
  if (firing.routes.size() != routes.edges.size()) return false;
  for (std::uint32_t r = 0; r < routes.edges.size(); ++r) {
    const auto route = std::ranges::find(firing.routes, routes.edges[r], &FiringRoute::edge);
    if (route == firing.routes.end()) return false;
    order_[r] = &*route;
    const std::uint32_t entry = kRegRouteTable + (routes.first + r) * kEntryWords;
    model_.write(entry + kRouteMemory,
                 static_cast<std::uint32_t>(MemoryKind::kCpu) | static_cast<std::uint32_t>(route->region) << 16);
    model_.write(entry + kRouteOffset, route->offset);
  }
  return true;
}

namespace {

// The packet that asks the node to forward a controller's poison, addressed to this stage. It never leaves the machine.
ActivationPacket poison_request(const Firing& firing) noexcept {
  ActivationPacket packet = firing.poison_header;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  packet.payload_bytes = std::min<std::uint64_t>(packet.payload_bytes, firing.message.size());
  packet.flags = packet.payload_bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(kInline);
  packet.stage = firing.stage;
  packet.port = 0;
  packet.device = 0;
  packet.ordinal = 0;
  packet.region = 0;
  packet.offset = 0;
  seal(packet);
  return packet;
}

// Clocks the node until it has taken all of `source` and is idle. False: it hangs.
bool stream(WactModel& model, BeatSource& source, BeatSink& sink, std::uint64_t& cycles) noexcept {
  WactInput input;
  for (std::uint64_t quiet = 0; quiet < kStuckCycles; ++cycles, ++quiet) {
    const bool sent = source.done();
    input.s_tvalid = !sent;
    if (!sent) {
      input.s_tdata = source.beat();
      input.s_tlast = source.last();
    }
    const WactOutput output = model.cycle(input);
    if (sent && output.idle) return true;
    if (!sent && output.s_tready) {
      source.advance();
      quiet = 0;
    }
    if (output.m_tvalid) {
      sink.take(output);
      quiet = 0;
    }
  }
  return false;
}

std::string rejection_text(std::uint32_t reason) {
  switch (reason) {
    case kRejectLength: return "length";
    case kRejectUse: return "use";
    case kRejectStage: return "stage";
    default: return std::string(to_string(static_cast<Rejection>(reason)));
  }
}

void fail(Firing& firing, Code code, std::string_view message) noexcept {
  firing.code = code;
  firing.message.assign(message);
}

// Nobody can tell what the node sent, nor which sequence numbers it used up.
void lose(Firing& firing, Code code, std::string_view message) noexcept {
  firing.lost = true;
  fail(firing, code, message);
}

}  // namespace

void WactDriver::run(Firing& firing) noexcept {
  const LoadedRoutes* routes = routes_of(firing.stage);
  const bool whole =
      firing.poison || (firing.inputs.size() == 1 && firing.packet != nullptr && firing.outputs.size() == 1);
  if (routes == nullptr || !whole || !write_landing(*routes, firing)) {
    return lose(firing, Code::kInternal, "the firing does not fit a stage that was loaded into this packet node");
  }
  const ActivationPacket header = firing.poison ? poison_request(firing) : *firing.packet;
  const std::span<const char> message(firing.message);
  const std::span<const std::byte> payload =
      firing.poison ? std::as_bytes(message.first(header.payload_bytes)) : routes->in.payload(firing.inputs[0]);
  BeatSource source(header, payload);
  const std::span<FiringRoute*> order(order_.data(), routes->edges.size());
  BeatSink sink(order, firing.poison ? std::span<std::byte>{} : routes->out.block(firing.outputs[0]));
  firing.cycles = 0;
  if (!stream(model_, source, sink, firing.cycles))
    return lose(firing, Code::kInternal, "the packet node's model hangs");
  if (!sink.complete()) {
    return lose(firing, Code::kDataLoss,
                "the packet node refused " + to_string(header) + ": " + rejection_text(model_.read(kRegLastRejection)));
  }
  if (firing.poison) return;
  firing.input_memory[0].copied_bytes = payload.size();
  if (sink.first().kind == static_cast<std::uint8_t>(PacketKind::kPoison)) {
    const std::span<const char> text = sink.message();
    return fail(firing, static_cast<Code>(sink.first().status), {text.data(), text.size()});
  }
  firing.output_memory[0].copied_bytes = sink.first().payload_bytes;
  firing.outputs[0].bytes = sink.first().payload_bytes - routes->out.prefix_bytes();
  firing.outputs[0].written = 1;
}

}  // namespace woa
