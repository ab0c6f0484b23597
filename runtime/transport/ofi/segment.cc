#include "runtime/transport/ofi/segment.h"

#include <time.h>

#include "runtime/base/clock.h"
#include "runtime/transport/ofi/description.h"
#include "runtime/transport/ofi/waits.h"

namespace woa::ofi {

Result<std::shared_ptr<OfiSegment>> OfiSegment::make(std::shared_ptr<ServedFabric> served,
                                                     std::unique_ptr<Mapping> memory, bool shared) {
  std::shared_ptr<OfiSegment> segment(new OfiSegment(std::move(served), std::move(memory), shared));
  Fabric& fabric = segment->served_->fabric;
  auto registration = fabric.register_memory(segment->memory());
  if (!registration.ok()) return registration.status();
  segment->registration_ = std::move(*registration);
  const auto number = fabric.add(segment->mailbox_);
  if (!number.ok()) return number.status();
  segment->number_ = *number;
  segment->numbered_ = true;
  return segment;
}

OfiSegment::~OfiSegment() {
  while (mailbox_.awaits_peer() && now_ns() - mailbox_.closed_ns() < kCloseNs) nanosleep(&kNap, nullptr);
  if (numbered_) served_->fabric.remove(number_);
  if (registration_) served_->fabric.deregister(std::move(*registration_));
  if (is_carried_ ? !may_be_written_ : replicas_.empty() || mailbox_.peer_closed()) return;
  for (const auto& region : carried_) region->may_be_written_ = true;
  served_->fabric.keep(std::move(memory_));
}

Result<std::unique_ptr<Mapping>> OfiSegment::map(Access) { return map_part(shared_from_this(), memory()); }

void OfiSegment::carry(std::shared_ptr<OfiSegment> region) {
  region->is_carried_ = true;
  carried_.push_back(std::move(region));
}

std::string OfiSegment::description() const {
  SegmentDescription out;
  const Fabric& fabric = served_->fabric;
  out.provider = served_->provider;
  out.address = fabric.objects().address;
  out.segment = number_;
  out.immediate_bytes = static_cast<std::uint32_t>(fabric.objects().info->domain_attr->cq_data_size);
  out.bytes = bytes();
  out.base = registration_->base();
  out.key = registration_->key();
  return out.encode();
}

const PeerReplica* OfiSegment::find(fi_addr_t peer) const noexcept {
  for (const PeerReplica& replica : replicas_) {
    if (replica.peer == peer) return &replica;
  }
  return nullptr;
}

}  // namespace woa::ofi
