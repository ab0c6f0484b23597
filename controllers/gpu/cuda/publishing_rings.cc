#include "controllers/gpu/cuda/publishing_rings.h"

#include <algorithm>
#include <utility>

namespace woa {

Status PublishingRings::open(const CudaContext& context, const MappedMemory& mapped, const WordStore& store,
                             DriverCalls& calls) {
  mapped_ = &mapped;
  if (mapped.rings() == 0) return {};
  auto counters = PinnedMemory::make(context, mapped.rings() * CountingStream::kCounterBytes);
  if (!counters.ok()) return counters.status();
  counters_ = std::move(counters).value();
  for (std::size_t at = 0; at < mapped.rings() * CountingStream::kCounterBytes; at += CountingStream::kCounterBytes)
    WOA_RETURN_IF_ERROR(streams_.emplace_back().open(context, store, counters_.host(at), counters_.device(at), calls));
  return {};
}

Status PublishingRings::publish(Launch& launch, cuda::Event ready) noexcept {
  for (const Publication& publication : launch.firing->publications) {
    if (publication.word == nullptr) continue;
    const MappedMemory::Place place = mapped_->find(publication.word, sizeof *publication.word);
    if (place.device == 0)
      return {Code::kBrokenContract, "a publication's word lies in no ring that the back-end was shown"};
    CountingStream& ring = streams_[place.ring];
    if (std::ranges::find(launch.marks, &ring, &StreamMark::stream) == launch.marks.end()) {
      launch.marks.push_back({&ring, StreamMark::kNever});
      WOA_RETURN_IF_ERROR(ring.wait_for(ready));
    }
    WOA_RETURN_IF_ERROR(ring.store(place.device, publication.value));
  }
  for (StreamMark& mark : launch.marks) {
    WOA_RETURN_IF_ERROR(mark.stream->mark());
    mark.number = mark.stream->last_mark();
  }
  return {};
}

}  // namespace woa
