#include "bench/micro/raw_fabric_job.h"

#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "bench/micro/fabric_messenger.h"
#include "runtime/measure/memory.h"
#include "runtime/measure/spin.h"
#include "runtime/transport/ofi/description.h"
#include "runtime/transport/ofi/fabric_objects.h"
#include "runtime/transport/ofi/registration.h"

namespace woa::bench {
namespace {

class RawSide {
 public:
  static Result<std::shared_ptr<RawSide>> open(const WireJob& job, const Talk& talk) {
    const auto sleeping = job.wakeable ? ofi::Sleeping::kOnDescriptor : ofi::Sleeping::kNever;
    WOA_ASSIGN_OR_RETURN(auto objects, open_loopback_fabric(job.provider, sleeping));
    WOA_ASSIGN_OR_RETURN(auto memory, Memory::map(job.bytes * job.slots, Memory::Sharing::kPrivate));
    auto side = std::make_shared<RawSide>(std::move(objects), std::move(memory), job.slots);
    WOA_ASSIGN_OR_RETURN(side->registration_, ofi::Registration::make(side->objects_, side->memory_.bytes()));
    ofi::SegmentDescription mine;
    mine.provider = job.provider, mine.address = side->objects_.address;
    mine.base = side->registration_->base(), mine.key = side->registration_->key();
    WOA_ASSIGN_OR_RETURN(const auto there, ofi::SegmentDescription::decode(talk.swap(mine.encode())));
    side->there_ = there;
    if (fi_av_insert(side->objects_.addresses.get(), there.address.data(), 1, &side->peer_, 0, nullptr) != 1)
      return {Code::kPeerLost, "fi_av_insert refused the other process's address"};
    return side;
  }
  RawSide(ofi::FabricObjects objects, Memory memory, std::size_t slots)
      : objects_(std::move(objects)), memory_(std::move(memory)), contexts_(slots) {}

  // Writes slot `slot` of `bytes` bytes, waiting for room. False, here and below: a write failed, or nothing moves.
  [[nodiscard]] bool write(std::uint64_t slot, std::size_t bytes) {
    return post([&] {
      return fi_writedata(objects_.endpoint.get(), memory_.bytes().data() + slot * bytes, bytes,
                          registration_->descriptor(), slot, peer_, there_.base + slot * bytes, there_.key,
                          &contexts_[slot]);
    });
  }
  [[nodiscard]] bool credit() {
    return post([&] {
      return fi_inject_writedata(objects_.endpoint.get(), memory_.bytes().data(), 0, 0, peer_, there_.base, there_.key);
    });
  }
  // Waits until `arrived` immediates have come in all.
  [[nodiscard]] bool wait_for(std::uint64_t arrived) {
    return spin_until([&] { return look(), failed_ || arrived_ >= arrived; }) && !failed_;
  }
  [[nodiscard]] std::uint64_t arrived() const noexcept { return arrived_; }

 private:
  template <class Write>
  [[nodiscard]] bool post(Write&& write_once) {
    ssize_t code = -FI_EAGAIN;
    const bool moved = spin_until([&] {
      code = write_once();
      if (code == -FI_EAGAIN) look();
      return failed_ || code != -FI_EAGAIN;
    });
    return moved && code == 0 && !failed_;
  }
  void look() {
    std::array<fi_cq_data_entry, 16> entries;
    const ssize_t count = fi_cq_read(objects_.completions.get(), entries.data(), entries.size());
    if (count > 0) arrived_ += static_cast<std::uint64_t>(count);  // writes of our own leave no entry
    if (count < 0 && count != -FI_EAGAIN) failed_ = true;
  }

  ofi::FabricObjects objects_;
  Memory memory_;
  std::optional<ofi::Registration> registration_;  // goes first
  ofi::SegmentDescription there_;
  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  std::vector<fi_context2> contexts_;  // by slot: of the write that may still be under way
  std::uint64_t arrived_ = 0;
  bool failed_ = false;
};

bool ping(RawSide& side, std::size_t bytes, bool first, std::uint64_t times) {
  for (std::uint64_t k = 0, next = side.arrived() + 1; k < times; ++k, ++next) {
    if (first && !side.write(0, bytes)) return false;
    if (!side.wait_for(next)) return false;
    if (!first && !side.write(0, bytes)) return false;
  }
  return true;
}

bool produce(RawSide& side, const WireJob& job, std::uint64_t messages) {
  const std::uint64_t batch = std::max(1U, job.slots / 4), before = side.arrived();
  for (std::uint64_t k = 0; k < messages; ++k) {
    const std::uint64_t unread = k + 1 > job.slots ? k + 1 - job.slots : 0;  // that must have been read by now
    if (!side.wait_for(before + (unread + batch - 1) / batch)) return false;
    if (!side.write(k % job.slots, job.bytes)) return false;
  }
  return side.wait_for(before + (messages + batch - 1) / batch);
}

bool consume(RawSide& side, const WireJob& job, std::uint64_t messages) {
  const std::uint64_t batch = std::max(1U, job.slots / 4), before = side.arrived();
  for (std::uint64_t k = 1; k <= messages; ++k) {
    if (!side.wait_for(before + k)) return false;
    if ((k % batch == 0 || k == messages) && !side.credit()) return false;
  }
  return true;
}

}  // namespace

Result<Side> open_raw_fabric_hop(const WireJob& job, const Talk& talk) {
  WOA_ASSIGN_OR_RETURN(const auto side, RawSide::open(job, talk));
  return Side([side, bytes = job.bytes, first = talk.first()](std::uint64_t times) {
    return gone_unless(ping(*side, bytes, first, times));
  });
}

Result<Side> open_raw_fabric_stream(const WireJob& job, const Talk& talk) {
  WOA_ASSIGN_OR_RETURN(const auto side, RawSide::open(job, talk));
  return Side([side, job, first = talk.first()](std::uint64_t messages) {
    return gone_unless(first ? produce(*side, job, messages) : consume(*side, job, messages));
  });
}

Result<double> raw_fabric_hop_ns(const WireJob& job) {
  return run_sides(sides_of(job), [&](const Talk& talk) { return open_raw_fabric_hop(job, talk); });
}

Result<double> raw_fabric_stream_ns(const WireJob& job) {
  return run_sides(sides_of(job), [&](const Talk& talk) { return open_raw_fabric_stream(job, talk); });
}

Result<double> raw_fabric_shape_ns(const std::string& provider, PeerArguments job) {
  job.sides.warm_up = warm_up_of(job.bytes, job.window);
  const auto ns = run_sides(job.sides, [&](const Talk& talk) -> Result<Side> {
    WOA_ASSIGN_OR_RETURN(auto messenger, FabricMessenger::open(provider, job, talk));
    return side_of(job, talk.number(), std::move(messenger));
  });
  if (!ns.ok()) return ns;
  return *ns / static_cast<double>(job.sides.messages);
}

}  // namespace woa::bench
