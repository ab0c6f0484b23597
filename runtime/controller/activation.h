// Names a firing of a stage, or a token of it, and judges its deadline (rule 7).
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/packet/activation_packet.h"

namespace woa {

// An instant of now_ns(), as packets have it.
inline constexpr std::uint64_t kNoDeadline = 0;
// `timeout_ns`: 0 for none. Any number may be given; an instant that no clock reaches is no deadline.
constexpr std::uint64_t deadline_after(std::uint64_t now, std::uint64_t timeout_ns) noexcept {
  return timeout_ns != 0 && timeout_ns < ~std::uint64_t{0} - now ? now + timeout_ns : kNoDeadline;
}
// `now` is only called if there is a deadline.
constexpr bool is_late(std::uint64_t deadline, const auto& now) noexcept {
  return deadline != kNoDeadline && now() > deadline;
}
inline constexpr std::string_view kLate = "the instance did not complete before its deadline";

struct Activation {
  std::uint64_t instance = 0, tag = 0;
  std::uint64_t deadline = kNoDeadline;  // of several tokens the latest
};
constexpr Activation activation_of(const ActivationPacket& packet) noexcept {
  return {packet.instance, packet.tag, packet.deadline};
}

}  // namespace woa
