#include "runtime/transport/ofi/service.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "runtime/base/clock.h"
#include "runtime/base/processor.h"
#include "runtime/base/thread.h"
#include "runtime/transport/ofi/waits.h"

namespace woa::ofi {
namespace {

constexpr std::uint64_t kNapNs = 500'000;        // while controllers look themselves, or something waits for room
constexpr std::uint64_t kLongNapNs = 5'000'000;  // a longer one is ended by the controller that wakes
constexpr unsigned kLooksBeforeNap = 2;

int made(int descriptor) {
  if (descriptor >= 0) return descriptor;
  throw std::system_error(errno, std::generic_category());
}

}  // namespace

Service::Service(Fabric& fabric, KeepAlive keep_alive)
    : fabric_(fabric),
      keep_alive_(keep_alive),
      wake_descriptor_(made(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))),
      thread_(make_thread<std::thread>([this] { run(); })) {}

Service::~Service() {
  stop_.store(true);
  eventfd_write(wake_descriptor_, 1);
  thread_.join();
  close(wake_descriptor_);
}

void Service::add(Served& served) {
  const std::lock_guard lock(mutex_);
  served_.push_back(&served);
  served.beat(now_ns());
}

void Service::remove(Served& served) {
  const std::lock_guard lock(mutex_);
  std::erase(served_, &served);
}

// Either the thread learns before its nap that nobody attends, or this sees that it naps.
void Service::take_over() noexcept {
  fabric_.take_attended();
  attended_.store(0);
  if (!napping_.exchange(false)) return;
  ended_naps_.fetch_add(1, std::memory_order_relaxed);
  eventfd_write(wake_descriptor_, 1);
}

void Service::end_sleep() noexcept {
  sleeps_itself_.store(false);
  if (naps_long_.load() && naps_long_.exchange(false)) eventfd_write(wake_descriptor_, 1);
}

void Service::run() {
  const ShortTurns turns;  // whoever opened the fabric may have none
  while (!stop_.load()) {
    fabric_.progress(false);
    const std::uint64_t now = now_ns();
    const bool waiting = serve(now);
    rest(waiting, next_beat_ns_);
  }
}

// True if something waits for room.
bool Service::serve(std::uint64_t now) {
  const bool beat = now >= next_beat_ns_;
  if (beat) next_beat_ns_ = now + keep_alive_.every_ns;
  bool waiting = false;
  const std::lock_guard lock(mutex_);
  for (Served* served : served_) {
    if (beat) served->beat(now);
    waiting = served->retry() || waiting;
  }
  return waiting;
}

// Do controllers look for arrivals, and go on looking? One that has just been woken may sleep again at once.
bool Service::is_attended() noexcept {
  if (sleeps_itself_.load(std::memory_order_relaxed)) {
    nap_ns_ = std::clamp(2 * nap_ns_, kNapNs, keep_alive_.every_ns);
    return true;
  }
  nap_ns_ = kNapNs;
  if (fabric_.take_attended()) return attended_.fetch_add(1) + 1 >= kLooksBeforeNap;
  attended_.store(0);
  return false;
}

void Service::rest(bool waiting, std::uint64_t until_ns) {
  const std::uint64_t now = now_ns();
  std::uint64_t most = until_ns > now ? until_ns - now : 0;
  std::array<pollfd, 2> descriptors{{{wake_descriptor_, POLLIN, 0}, {-1, POLLIN, 0}}};
  // What waits for room is tried again at the pace of naps, however often its controller goes to sleep meanwhile.
  napping_.store(!waiting);
  if (waiting || is_attended()) {
    most = std::min(most, waiting ? kNapNs : nap_ns_);
    naps_long_.store(most > kLongNapNs);
    if (naps_long_.load() && !sleeps_itself_.load()) most = kNapNs;  // it has woken meanwhile
    naps_.fetch_add(1, std::memory_order_relaxed);
  } else {
    napping_.store(false);
    descriptors[1].fd = fabric_.prepare_wait();
    refused_ = descriptors[1].fd == Fabric::kLookFirst ? refused_ + 1 : 0;
    if (descriptors[1].fd < 0) most = std::min(most, refused_ > 0 && refused_ <= kMostRefused ? 0 : kLookNs);
  }
  const timespec timeout = time_of(most);
  ppoll(descriptors.data(), descriptors.size(), &timeout, nullptr);
  napping_.store(false);
  naps_long_.store(false);
  eventfd_t woken = 0;
  if (descriptors[0].revents != 0) eventfd_read(wake_descriptor_, &woken);
}

}  // namespace woa::ofi
