#include "bench/micro/pair_race.h"

#include "runtime/base/clock.h"
#include "runtime/measure/memory.h"
#include "runtime/measure/pinned_group.h"

namespace woa::bench {
namespace {

bool take_part(const Race& race, std::uint64_t process, Meeting meeting, std::uint64_t& ns) {
  if (!race.prepare(process) || !meeting.meet()) return false;
  const std::uint64_t start_ns = now_ns();
  if (!race.run(process) || !meeting.meet([&] { race.meanwhile(process); })) return false;
  ns = now_ns() - start_ns;
  return true;
}

}  // namespace

Result<double> race_ns(const Race& race) {
  WOA_ASSIGN_OR_RETURN(auto memory, Memory::map(Meeting::kBytes, Memory::Sharing::kWithChildren));
  const Meeting meeting(memory.bytes());
  std::uint64_t ns = 0;
  WOA_ASSIGN_OR_RETURN(auto pair, PinnedPair::start([&] { return take_part(race, 1, meeting, ns) ? 0 : 1; }));
  const bool well = take_part(race, 0, meeting, ns);
  if (pair.wait() != 0 || !well) return {Code::kPeerLost, "the other process ended early"};
  return static_cast<double>(ns);
}

}  // namespace woa::bench
