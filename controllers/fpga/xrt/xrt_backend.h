// Runs rtl variants on a card that XRT drives: several firings are under way at once, and the node on the card writes
// their headers. Payloads go from a region's own memory to the card and back, where the driver takes that memory.
#pragma once

#include <memory>

#include "controllers/fpga/xrt/node_unit.h"
#include "runtime/controller/backend.h"

namespace woa {

class XrtBackend final : public Backend {
 public:
  // `xrt` outlives all that is left to the driver: it is the process's.
  XrtBackend(const xrt::Library& xrt, XrtCard card);
  // A run that has not ended after 1 s is left to the driver, with the card's memory: the process's end stops it.
  ~XrtBackend() override;

  const DeviceDescription& description() const noexcept override;
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override;
  Result<RegionNumbers> map(std::span<const BackendMapping> mappings) override;
  [[nodiscard]] Start start(Firing& firing) noexcept override;
  std::size_t poll(std::span<Firing*> done) noexcept override;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace woa
