// Memory of one controller, its owner, that others update.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/onesided/perform.h"
#include "runtime/onesided/update.h"
#include "runtime/transport/transport.h"

namespace woa::onesided {

// Who writes to a region's memory. Fixed when the region is made, because it decides how the owner applies what arrives
// in packets: an update that is not atomic must never meet one that is.
enum class Sharing : std::uint8_t {
  kExclusive,  // the owner's thread alone: plain loads and stores; origins send packets
  kCoherent    // origins map it and update it with the processor's atomics, beside packets: the owner uses atomics, too
};

// Origins of a coherent region that have a counter in it.
inline constexpr std::uint32_t kMaxOrigins = 63;

// A value: copies name the same memory, unmapped with the last of them. Calls may come from any thread as far as
// `Sharing` allows it.
class Region {
 public:
  // Zeroed memory for the calling controller. kInvalid: 0 bytes, or 2^48 and more. Otherwise as Transport::allocate()
  // and map().
  static Result<Region> make(Transport& transport, std::string_view label, std::size_t bytes, Sharing sharing);
  // Another controller's coherent region, by its segment. kInvalid: the segment holds no region of this version.
  // kUnsupported: the region is exclusive, or the transport's ends have replicas of memory (ofi: the provider that is
  // everywhere, tcp;ofi_rxm, has no atomics of its own, and none is asked for them). Otherwise as Transport::map().
  static Result<Region> attach(Transport& transport, const std::shared_ptr<Segment>& segment);

  // What an origin needs to attach() to a coherent region; nobody else needs it.
  [[nodiscard]] const std::shared_ptr<Segment>& segment() const noexcept { return segment_; }
  [[nodiscard]] Sharing sharing() const noexcept { return sharing_; }
  // Aligned to 4096 bytes. In a coherent region read by load() while others may write.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  // The element at `offset`, which must be in the region and aligned.
  template <Element Word>
  [[nodiscard]] Word load(std::uint64_t offset) const noexcept {
    Word& element = at<Word>(offset);
    if (sharing_ == Sharing::kExclusive) return element;
    return std::atomic_ref<Word>(element).load(std::memory_order_relaxed);
  }

  // Does one update here and now; `update` must have passed check(). The old value if the operation fetches, else
  // anything. An exclusive region: by the owner's thread only.
  std::uint64_t perform(const Update& update) const noexcept {  // NOLINT(modernize-use-nodiscard)
    return update.width == Width::k32 ? perform<std::uint32_t>(update) : perform<std::uint64_t>(update);
  }

  // Updates that origin `origin` (below kMaxOrigins) has performed itself, as of its last flush: all of them are
  // visible to who reads the number. Only the origin announces.
  [[nodiscard]] std::uint64_t performed(std::uint32_t origin) const noexcept;
  void announce(std::uint32_t origin, std::uint64_t performed) const noexcept;

 private:
  Region(std::shared_ptr<Segment> segment, std::shared_ptr<Mapping> mapping, Sharing sharing) noexcept;

  template <Element Word>
  [[nodiscard]] Word& at(std::uint64_t offset) const noexcept {
    return *reinterpret_cast<Word*>(bytes_.data() + offset);
  }
  template <Element Word>
  std::uint64_t perform(const Update& update) const noexcept {
    const auto operand = static_cast<Word>(update.operand), expected = static_cast<Word>(update.expected);
    Word& element = at<Word>(update.offset);
    return sharing_ == Sharing::kExclusive ? perform_alone(update.operation, element, operand, expected)
                                           : perform_atomically(update.operation, element, operand, expected);
  }

  std::shared_ptr<Segment> segment_;
  std::shared_ptr<Mapping> mapping_;
  Sharing sharing_;
  std::span<std::byte> bytes_;
};

}  // namespace woa::onesided
