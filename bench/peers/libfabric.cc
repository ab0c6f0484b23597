// libfabric as a peer (peer_program.h): fi_writedata into the other process's memory, polled. shm: its provider for
// processes of one host. A hop and a stream end in raw slots (raw_fabric_job.h), the rest goes as fabric_messenger.h
// says.
#include "bench/micro/fabric_messenger.h"
#include "bench/micro/raw_fabric_job.h"
#include "bench/peers/peer_program.h"
#include "bench/peers/shapes.h"

namespace woa::bench {
namespace {

Result<Side> open(const PeerArguments& job, const Talk& talk) {
  const auto slots = static_cast<std::uint32_t>(job.window);
  if (job.shape == PeerArguments::Shape::kHop)
    return open_raw_fabric_hop({job.way, job.bytes, 1, job.sides.messages}, talk);
  if (job.shape == PeerArguments::Shape::kStream)
    return open_raw_fabric_stream({job.way, job.bytes, slots, job.sides.messages}, talk);
  WOA_ASSIGN_OR_RETURN(auto messenger, FabricMessenger::open(job.way, job, talk));
  return side_of(job, talk.number(), std::move(messenger));
}

}  // namespace
}  // namespace woa::bench

int main(int count, char** arguments) {
  return woa::bench::run_peer({arguments, static_cast<std::size_t>(count)}, "shm", woa::bench::open);
}
