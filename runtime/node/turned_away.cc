#include "runtime/node/turned_away.h"

#include "runtime/base/clock.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

constexpr unsigned kMostNamed = 16;
constexpr std::uint64_t kSayEveryNs = 2'000'000'000;

}  // namespace

void TurnedAway::add(const std::string& address, const std::string& why) {
  const std::string text = address + ": " + why;
  if (named_ < kMostNamed) {
    ++named_;
    (*on_event_)("turned away " + text);
    return;
  }
  ++unnamed_;
  last_ = text;
  if (said_ns_ == 0) said_ns_ = now_ns();
  if (now_ns() - said_ns_ >= kSayEveryNs) say_rest();
}

void TurnedAway::say_rest() {
  if (unnamed_ == 0) return;
  (*on_event_)("turned away " + counted(unnamed_, "more connection") + ", the last " + last_);
  unnamed_ = 0;
  said_ns_ = now_ns();
}

}  // namespace woa
