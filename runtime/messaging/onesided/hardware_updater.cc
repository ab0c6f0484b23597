#include "runtime/messaging/onesided/hardware_updater.h"

#include <bit>
#include <string>

namespace woa::onesided {

Result<std::unique_ptr<HardwareUpdater>> HardwareUpdater::open(Region region, const HardwareSpec& spec) {
  if (region.sharing() == Sharing::kExclusive)
    return {Code::kUnsupported, "hardware updates: the region's owner alone writes to it; make it coherent"};
  if (spec.origin >= kMaxOrigins)
    return {Code::kInvalid, "hardware updates: origin " + std::to_string(spec.origin) + "; a region has counters for " +
                                std::to_string(kMaxOrigins)};
  if (!std::has_single_bit(spec.result_slots))
    return {Code::kInvalid,
            "hardware updates: result_slots is " + std::to_string(spec.result_slots) + "; it must be a power of two"};
  return std::unique_ptr<HardwareUpdater>(new HardwareUpdater(std::move(region), spec));
}

HardwareUpdater::HardwareUpdater(Region region, const HardwareSpec& spec)
    : region_(std::move(region)), origin_(spec.origin), results_(spec.result_slots) {}

HardwareUpdater::~HardwareUpdater() { region_.announce(origin_, issued_); }

Outcome HardwareUpdater::fetch(const Update& update) noexcept {
  if (const Refusal refusal = check(update, region_.bytes().size()); refusal != Refusal::kNone)
    return refuse(update, refusal);
  if (fetched_ - taken_ == results_.size()) return Outcome::kBackPressured;
  results_[fetched_++ & (results_.size() - 1)] = region_.perform(update);
  ++issued_;
  return Outcome::kOk;
}

Outcome HardwareUpdater::refuse(const Update& update, Refusal refusal) noexcept {
  if (refusal_ == Refusal::kNone) refusal_ = refusal, refused_ = update;
  return Outcome::kRefused;
}

Outcome HardwareUpdater::flush() noexcept {
  region_.announce(origin_, issued_);
  return Outcome::kOk;
}

void HardwareUpdater::poll(std::uint64_t /*now_ns*/) noexcept {}  // nothing is held back

std::size_t HardwareUpdater::take_results(std::span<std::uint64_t> out) noexcept {
  std::size_t count = 0;
  while (count < out.size() && taken_ < fetched_) out[count++] = results_[taken_++ & (results_.size() - 1)];
  return count;
}

Status HardwareUpdater::status() const {
  if (refusal_ == Refusal::kNone) return {};
  return {Code::kInvalid, "update refused: " + describe(refused_, refusal_, region_.bytes().size())};
}

}  // namespace woa::onesided
