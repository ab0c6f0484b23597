// Updates by the processor's own atomics on a region that this process maps, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/messaging/onesided/region.h"
#include "runtime/messaging/onesided/updater.h"

namespace woa::onesided {

struct HardwareSpec {
  // The updater's own counter in the region, below kMaxOrigins. Give each updater its own: nobody checks that.
  std::uint32_t origin = 0;
  std::uint32_t result_slots = 64;  // fetched values not yet taken; a power of two
};

class HardwareUpdater final : public Updater {
 public:
  // `region`: attached, or the caller's own. kUnsupported: it is exclusive. kInvalid: `spec` is out of bounds.
  static Result<std::unique_ptr<HardwareUpdater>> open(Region region, const HardwareSpec& spec);
  ~HardwareUpdater() override;
  HardwareUpdater(const HardwareUpdater&) = delete;
  HardwareUpdater& operator=(const HardwareUpdater&) = delete;

  Outcome update(const Update& update) noexcept override {
    if (fetches(update.operation)) return fetch(update);
    if (const Refusal refusal = check(update, region_.bytes().size()); refusal != Refusal::kNone)
      return refuse(update, refusal);
    region_.perform(update);
    ++issued_;
    return Outcome::kOk;
  }
  Outcome flush() noexcept override;
  void poll(std::uint64_t now_ns) noexcept override;
  std::size_t take_results(std::span<std::uint64_t> out) noexcept override;
  std::uint64_t issued() const noexcept override { return issued_; }
  std::uint64_t completed() const noexcept override { return issued_; }
  Status status() const override;

 private:
  HardwareUpdater(Region region, const HardwareSpec& spec);
  Outcome fetch(const Update& update) noexcept;
  Outcome refuse(const Update& update, Refusal refusal) noexcept;

  Region region_;
  std::uint32_t origin_;
  std::uint64_t issued_ = 0;
  std::vector<std::uint64_t> results_;
  std::uint64_t fetched_ = 0, taken_ = 0;
  Refusal refusal_ = Refusal::kNone;  // of the first update refused, and that one
  Update refused_;
};

}  // namespace woa::onesided
