#include "bench/micro/stream.h"

#include "runtime/base/clock.h"
#include "runtime/measure/pinned_group.h"

namespace woa::bench {

using namespace measure;

Result<double> stream_ns(const Stream& stream, std::uint64_t warm_up, std::uint64_t messages) {
  WOA_ASSIGN_OR_RETURN(auto pair,
                       PinnedPair::start([&] { return stream.consume(warm_up) && stream.consume(messages) ? 0 : 1; }));
  bool ok = stream.produce(warm_up);
  const std::uint64_t start_ns = now_ns();
  ok = ok && stream.produce(messages);
  const std::uint64_t end_ns = now_ns();
  if (!ok || pair.wait() != 0) return {Code::kPeerLost, "the other process ended early"};
  return static_cast<double>(end_ns - start_ns);
}

}  // namespace woa::bench
