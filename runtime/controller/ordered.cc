// Firings of devices with memory of their own. Such a device may order its firings: their tokens then go to readers on
// the device while they run. Only the device can fail them, and it takes the controller with it (rule 10).
#include "runtime/controller/firings.h"
#include "runtime/controller/output_check.h"

namespace woa {
namespace {

// A token that nobody but this device reads, and nobody waits to hear of.
bool is_early(const OutPort& port) noexcept { return port.in_device && !port.is_copied && port.counts.empty(); }

}  // namespace

// Names the block to the back-end, which alone can read what lies in the device.
bool Firings::show_placed(ActiveFiring& firing, std::uint32_t port, const Token& token, woa_input& view) noexcept {
  const ActivationPacket& header = token.header;
  const PortShape& shape = firing.program->inputs[port].shape;
  const std::span<const std::byte> payload = parts_.programs.payload(token);
  PortMemory& memory = firing.input_memory[port];
  const RegionView& region = parts_.programs.region(header.region);
  memory = {};
  if (token.is_inline() || !region.is_in_device()) return shape.show(payload, view);
  memory = {region.memory(), header.region, region.number(header.offset)};
  return shape.show_in_device(payload, view);
}

void Firings::reserve_in_device(ActiveFiring& firing, const OutPort& port, const PortClaim& claim,
                                woa_output& view) const noexcept {
  const auto place = static_cast<std::size_t>(&view - firing.output_views.data());
  const RegionView& region = parts_.programs.region(claim.region);
  firing.output_memory[place] = {region.memory(), claim.region, region.number(claim.offset)};
  if (!port.is_copied) view.data = nullptr;
}

// Sizes and dimensions are final. What does not fit fails its firing, like any other, when it completes.
void Firings::deliver_early(ActiveFiring& firing) noexcept {
  if (!outputs_fit(*firing.program, firing.inputs, firing.outputs, firing.tag)) return;
  firing.order = ++ordered_;
  for (std::uint32_t p = 0; p < firing.outputs.size(); ++p) {
    if (is_early(firing.program->outputs[p])) send_ordered(firing, p);
  }
}

void Firings::send_ordered(ActiveFiring& firing, std::uint32_t p) noexcept {
  OutPort& port = firing.program->outputs[p];
  const woa_output& output = firing.outputs[p];
  port.shape.write_prefix(firing.claims[p].block, output);
  parts_.sending.commit<false>(port, 0, firing.claims[p],
                               {firing.activation(), port.shape.payload_bytes(output), false});
}

// Sends the other outputs, or gives their claims back.
void Firings::complete_ordered(ActiveFiring& firing, bool wanted) noexcept {
  const std::uint64_t order = std::exchange(firing.order, 0);
  if (firing.code != Code::kOk) return note_lost_device(firing, order);
  for (std::uint32_t p = 0; p < firing.outputs.size(); ++p) {
    OutPort& port = firing.program->outputs[p];
    if (!is_early(port)) {
      if (!wanted) {
        parts_.claims.withdraw({&port, 1}, firing.activation(), {&firing.claims[p], 1});
        continue;
      }
      send_ordered(firing, p);
      parts_.sending.commit_count(port, 0, firing.activation());
    }
    if (parts_.trace.on()) trace_writes(firing, p, 0, port.shape.payload_bytes(firing.outputs[p]));
  }
}

Status Firings::why_lost(const ActiveFiring& firing, const Status& why) {
  return {why.code(), "stage '" + firing.program->plan->name + "', instance " + std::to_string(firing.instance) +
                          ": the device failed: " + why.message()};
}

// Firings that were started later fail by it, and may be told of sooner.
void Firings::note_lost_device(const ActiveFiring& firing, std::uint64_t order) noexcept {
  if (lost_device_.order != 0 && lost_device_.order < order) return;
  lost_device_ = {order, why_lost(firing, {firing.code, firing.message})};
}

// The controller is lost once every firing that was started before the one that failed has completed.
void Firings::blame_first() noexcept {
  bool others = false;
  each([&](const ActiveFiring& firing) {
    others = others || (firing.running && firing.order != 0 && firing.order < lost_device_.order);
  });
  if (others) return;
  parts_.failure.set(std::move(lost_device_.why));
}

}  // namespace woa
