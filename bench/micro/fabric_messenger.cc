#include "bench/micro/fabric_messenger.h"

#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <array>

#include "runtime/measure/spin.h"
#include "runtime/transport/ofi/description.h"
#include "runtime/transport/ofi/library.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kLast = ~std::uint32_t{0};  // what a write without a message sends in place of its length

std::size_t room_bytes(const Routing& routing) { return std::max<std::size_t>(routing.bytes, 1); }

}  // namespace

Result<std::shared_ptr<FabricMessenger>> FabricMessenger::open(const std::string& provider, const PeerArguments& job,
                                                               const Talk& talk) {
  const Routing routing = routing_of(job, talk.number());
  WOA_ASSIGN_OR_RETURN(auto objects, open_loopback_fabric(provider, ofi::Sleeping::kNever));
  WOA_ASSIGN_OR_RETURN(auto memory, Memory::map(routing.rooms * room_bytes(routing), Memory::Sharing::kPrivate));
  auto messenger = std::make_shared<FabricMessenger>(std::move(objects), std::move(memory), routing);
  WOA_RETURN_IF_ERROR(messenger->meet(provider, job, talk));
  return messenger;
}

FabricMessenger::FabricMessenger(ofi::FabricObjects objects, Memory memory, const Routing& routing)
    : objects_(std::move(objects)), memory_(std::move(memory)), routing_(routing), lengths_(routing.rooms) {}

Status FabricMessenger::meet(const std::string& provider, const PeerArguments& job, const Talk& talk) {
  WOA_ASSIGN_OR_RETURN(registration_, ofi::Registration::make(objects_, memory_.bytes()));
  ofi::SegmentDescription mine;
  mine.provider = provider, mine.address = objects_.address;
  mine.base = registration_->base(), mine.key = registration_->key();
  const auto all = talk.gather(mine.encode());
  WOA_RETURN_IF_ERROR(gone_unless(!all.empty()));
  for (const std::size_t number : routing_.targets) {
    WOA_ASSIGN_OR_RETURN(const auto there, ofi::SegmentDescription::decode(all[number]));
    Target target{FI_ADDR_UNSPEC, there.base, there.key, routing_of(job, number), 0, {}};
    target.contexts.resize(target.routing.rooms);
    if (fi_av_insert(objects_.addresses.get(), there.address.data(), 1, &target.peer, 0, nullptr) != 1)
      return {Code::kPeerLost, "libfabric: fi_av_insert refused another process's address"};
    targets_.push_back(std::move(target));
  }
  return {};
}

template <class Write>
Status FabricMessenger::post(const Write& write) {
  ssize_t code = -FI_EAGAIN;
  const bool moved = yield_until([&] {
    code = write();
    if (code == -FI_EAGAIN) look();
    return error_ != 0 || code != -FI_EAGAIN;
  });
  if (moved && code != 0 && code != -FI_EAGAIN) error_ = static_cast<int>(-code);
  return moved && code == 0 && error_ == 0 ? Status() : gone();
}

Status FabricMessenger::send(std::span<const std::byte> message) {
  WOA_ASSIGN_OR_RETURN(const auto descriptor, descriptor_of(message));
  for (Target& target : targets_) {
    const std::uint64_t room = target.sent++ % target.routing.rooms;
    const std::uint64_t address = target.base + room * room_bytes(target.routing);
    WOA_RETURN_IF_ERROR(post([&] {
      return fi_writedata(objects_.endpoint.get(), message.data(), message.size(), descriptor, message.size(),
                          target.peer, address, target.key, &target.contexts[room]);
    }));
  }
  return {};
}

Result<std::span<std::byte>> FabricMessenger::receive() {
  const bool came = yield_until([&] { return look(), error_ != 0 || come_ > taken_; });
  if (!came || error_ != 0) return gone();
  const std::size_t room = taken_++ % routing_.rooms;
  if (lengths_[room] > routing_.bytes) return {Code::kDataLoss, "libfabric: a message is longer than it may be"};
  return memory_.bytes().subspan(room * room_bytes(routing_), lengths_[room]);
}

// Writes of one side to another leave in order: when a last write without a message has left, so have all before it.
Status FabricMessenger::settle() {
  for (const Target& target : targets_) {
    const fi_rma_iov remote{target.base, 0, target.key};
    fi_msg_rma last{};
    last.addr = target.peer, last.rma_iov = &remote, last.rma_iov_count = 1;
    last.context = &last_context_, last.data = kLast;
    WOA_RETURN_IF_ERROR(
        post([&] { return fi_writemsg(objects_.endpoint.get(), &last, FI_REMOTE_CQ_DATA | FI_COMPLETION); }));
    ++leaving_;
    const bool left = yield_until([&] { return look(), error_ != 0 || leaving_ == 0; });
    if (!left || error_ != 0) return gone();
  }
  return {};
}

Result<void*> FabricMessenger::descriptor_of(std::span<const std::byte> message) {
  if (message.empty()) return static_cast<void*>(nullptr);
  const std::byte* const rooms = memory_.bytes().data();
  if (message.data() >= rooms && message.data() < rooms + memory_.bytes().size()) return registration_->descriptor();
  auto source = std::ranges::find_if(sources_, [&](const Source& known) {
    return known.memory.data() == message.data() && known.memory.size() >= message.size();
  });
  if (source == sources_.end()) {
    const std::span memory(const_cast<std::byte*>(message.data()), message.size());
    WOA_ASSIGN_OR_RETURN(auto registration, ofi::Registration::make(objects_, memory, ofi::RemoteAccess::kNone));
    source = sources_.insert(sources_.end(), {message, std::move(registration)});
  }
  return source->registration.descriptor();
}

void FabricMessenger::look() {
  std::array<fi_cq_data_entry, 16> entries;
  const ssize_t count = fi_cq_read(objects_.completions.get(), entries.data(), entries.size());
  if (count == -FI_EAVAIL) {
    fi_cq_err_entry entry{};
    error_ = fi_cq_readerr(objects_.completions.get(), &entry, 0) == 1 ? entry.err : FI_EIO;
  } else if (count < 0 && count != -FI_EAGAIN) {
    error_ = static_cast<int>(-count);
  }
  for (ssize_t k = 0; k < count; ++k) {
    const fi_cq_data_entry& entry = entries[static_cast<std::size_t>(k)];
    if ((entry.flags & FI_REMOTE_CQ_DATA) == 0)
      --leaving_;
    else if (entry.data != kLast)
      lengths_[come_++ % lengths_.size()] = entry.data;
  }
}

Status FabricMessenger::gone() const {
  if (error_ == 0) return gone_unless(false);
  return {Code::kPeerLost, "libfabric: " + ofi::fabric_error(error_)};
}

}  // namespace woa::bench
