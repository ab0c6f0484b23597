// The host's device: the program itself. The source's kernel fills the graph's inputs, the sink's hands over its
// outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/controller/backend.h"
#include "runtime/controller/port_shape.h"
#include "runtime/memory/by_instance.h"

namespace woa {

// Writes one instance's graph input into `room` (payload layout of docs/kernels.md) and returns its size in bytes, or
// an error. Called once per input of the graph when the instance starts, on the thread that drives the run.
using FillInput = std::function<Result<std::uint64_t>(std::uint32_t input, std::span<std::byte> room)>;

// One output of the graph.
struct GraphOutput {
  std::span<const std::byte> payload;  // payload layout
  bool absent = false;                 // its writer wrote nothing: no payload, which is not the same as an empty one
};

class HostBackend final : public Backend {
 public:
  // Called when the sink fires: the instance's outputs, by output of the graph. They are borrowed until it returns, or
  // until give_back() if it returns kKept.
  enum class Taken : std::uint8_t { kDone, kKept };
  using OnOutputs = std::function<Taken(std::uint64_t instance, std::span<const GraphOutput> outputs)>;
  explicit HostBackend(OnOutputs on_outputs);

  // Sets the inputs that the source will read for `instance`.
  void set_inputs(std::uint64_t instance, FillInput fill);
  // The program needs the outputs that it kept no more: the sink's firing completes.
  void give_back(std::uint64_t instance);

  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override;
  Start start(Firing& firing) noexcept override;
  std::size_t poll(std::span<Firing*> done) noexcept override;

 private:
  void fire_source(Firing& firing) noexcept;
  Taken fire_sink(const Firing& firing) noexcept;
  Status fill_output(const FillInput& fill, std::uint32_t port, woa_output& output);

  DeviceDescription description_{"host", "this program", false, "host", "tag"};
  OnOutputs on_outputs_;
  const StagePlan* names_ = nullptr;      // of the graph's inputs
  std::vector<PortShape> source_, sink_;  // of the graph's inputs, of its outputs
  ByInstance<FillInput> inputs_;
  std::vector<GraphOutput> outputs_;
  std::vector<Firing*> sinks_;  // started
  ByInstance<Firing*> kept_;
  std::vector<Firing*> given_back_;
};

}  // namespace woa
