// How a controller sleeps whose channels all take one fabric: on the fabric's descriptor and its doorbell's. What comes
// then wakes it alone. By the service thread it would cost two wake-ups, and a third for what the controller itself
// sends, since libfabric signals its descriptor for that, too.
#pragma once

#include <memory>

#include "runtime/base/unique_fd.h"
#include "runtime/transport/doorbell.h"
#include "runtime/transport/ofi/served_fabric.h"

namespace woa::ofi {

class OfiSleeper final : public Sleeper {
 public:
  // Null where the fabric has no descriptor, another controller sleeps on it, or the system has no eventfd left.
  static std::unique_ptr<OfiSleeper> make(std::shared_ptr<ServedFabric> served, Doorbell own);
  ~OfiSleeper() override;
  OfiSleeper(const OfiSleeper&) = delete;
  OfiSleeper& operator=(const OfiSleeper&) = delete;

  void sleep(std::uint64_t timeout_ns) noexcept override;

 private:
  OfiSleeper(std::shared_ptr<ServedFabric> served, Doorbell own, UniqueFd rung) noexcept;

  const std::shared_ptr<ServedFabric> served_;
  const Doorbell own_;
  const UniqueFd rung_;
  unsigned refused_ = 0;  // in a row: the provider said that something has come already
};

}  // namespace woa::ofi
