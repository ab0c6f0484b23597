// Drives one packet node, on the caller's thread: loads its tables from a plan and runs firings on it.
//
// The driver moves bytes. It tells the node by landing descriptors where the consumer's block lies, which the node
// cannot know. Every header that leaves is the node's, byte for byte.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "controllers/fpga/verilator/wact_model.h"
#include "runtime/base/status.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/port_shape.h"
#include "runtime/plan/plan.h"

namespace woa {

class WactDriver {
 public:
  explicit WactDriver(WactModel& model) noexcept : model_(model) {}  // outlives the driver

  // Fills the stage and route tables. Call once. kUnsupported: a stage that the node cannot run (no rtl variant, a core
  // that the node lacks, more than one input or output, a relay), or more stages and routes than its tables hold.
  Status load(const Plan& plan, std::span<const LoadedStage> stages);

  // Runs one firing on the node and fills in all answers but the times. Returns when the node is idle again. Codes in
  // `firing`: the status of the node's poison if the kernel cannot run, with the poison's inline payload as message;
  // kDataLoss if the node refused the packet, and then no header is valid; kInternal: the model is broken.
  void run(Firing& firing) noexcept;

 private:
  struct LoadedRoutes {
    std::uint32_t stage = 0;
    std::uint32_t first = 0;           // in the route table
    std::vector<std::uint32_t> edges;  // in order of the route table
    PortShape in, out;
  };
  Result<std::uint32_t> find_core(const StagePlan& stage);
  Status load_stage(const Plan& plan, const LoadedStage& loaded);
  std::uint32_t channel_of(const Plan& plan, const EdgePlan& edge);
  void load_route(const Plan& plan, std::uint32_t entry, const EdgePlan& edge);
  void write_entry(std::uint32_t table, std::uint32_t entry, std::span<const std::uint32_t> words) noexcept;
  const LoadedRoutes* routes_of(std::uint32_t stage) const noexcept;
  bool write_landing(const LoadedRoutes& routes, Firing& firing) noexcept;

  WactModel& model_;
  std::vector<LoadedRoutes> loaded_;
  std::vector<FiringRoute*> order_;  // the firing's routes in order of the route table
  std::uint32_t routes_used_ = 0;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> channels_;  // counter by controller and lane
};

}  // namespace woa
