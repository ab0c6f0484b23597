#include "runtime/messaging/onesided/update.h"

#include <string_view>

namespace woa::onesided {
namespace {

std::string_view reason(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone: return "nothing";
    case Refusal::kOperation: return "there is no such operation";
    case Refusal::kWidth: return "an element has 4 or 8 bytes";
    case Refusal::kMisaligned: return "the offset must be a multiple of the element's bytes";
    case Refusal::kOutside: return "the element lies outside the region";
    case Refusal::kTruncated: return "a compare_swap ends before its expected value";
    case Refusal::kReserved: return "a reserved word is not 0";
  }
  return "unknown refusal";
}

}  // namespace

std::string describe(const Update& update, Refusal refusal, std::uint64_t region_bytes) {
  return std::string(reason(refusal)) + " (operation " + std::to_string(static_cast<unsigned>(update.operation)) +
         ", element of " + std::to_string(static_cast<unsigned>(update.width)) + " bytes at offset " +
         std::to_string(update.offset) + ", region of " + std::to_string(region_bytes) + " bytes)";
}

}  // namespace woa::onesided
