#include "runtime/transport/ofi/sleeper.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/transport/ofi/waits.h"

namespace woa::ofi {

std::unique_ptr<OfiSleeper> OfiSleeper::make(std::shared_ptr<ServedFabric> served, Doorbell own) {
  if (served->fabric.objects().wait_descriptor < 0 || served->has_sleeper.exchange(true)) return nullptr;
  UniqueFd rung(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (rung.get() >= 0) return std::unique_ptr<OfiSleeper>(new OfiSleeper(std::move(served), own, std::move(rung)));
  served->has_sleeper.store(false);
  return nullptr;
}

OfiSleeper::OfiSleeper(std::shared_ptr<ServedFabric> served, Doorbell own, UniqueFd rung) noexcept
    : served_(std::move(served)), own_(own), rung_(std::move(rung)) {
  own_.ring_into(rung_.get());
}

OfiSleeper::~OfiSleeper() {
  own_.ring_into(-1);
  served_->has_sleeper.store(false);
}

void OfiSleeper::sleep(std::uint64_t timeout_ns) noexcept {
  // A ring since prepare() is in the eventfd; what has arrived since the last look shows here or in the descriptor.
  const int arrivals = served_->fabric.prepare_wait();
  refused_ = arrivals < 0 ? refused_ + 1 : 0;
  if (arrivals >= 0 || refused_ > kMostRefused) {
    if (arrivals < 0) timeout_ns = std::min(timeout_ns, kLookNs);
    std::array<pollfd, 2> descriptors{{{rung_.get(), POLLIN, 0}, {arrivals, POLLIN, 0}}};
    const timespec timeout = time_of(timeout_ns);
    served_->service.begin_sleep();
    ::ppoll(descriptors.data(), descriptors.size(), &timeout, nullptr);
    served_->service.end_sleep();
    eventfd_t rings = 0;
    if (descriptors[0].revents != 0) ::eventfd_read(rung_.get(), &rings);
  }
  own_.cancel();
}

}  // namespace woa::ofi
