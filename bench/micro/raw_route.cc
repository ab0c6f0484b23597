#include "bench/micro/raw_route.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "bench/micro/mailbox_ring.h"
#include "runtime/base/clock.h"
#include "runtime/measure/contest.h"
#include "runtime/measure/host_probe.h"
#include "runtime/measure/memory.h"
#include "runtime/measure/pinned_group.h"
#include "runtime/measure/spin.h"

namespace woa::bench {
namespace {

constexpr std::uint32_t kSlots = 2;
constexpr std::uint64_t kWarmUp = 16;

// One process on its way round: a mailbox into each of its stops, and one to the stop after it.
class Walker {
 public:
  Walker(const RawRoute& route, std::vector<Memory>& boxes, std::size_t process)
      : process_(process), message_(route.size) {
    shares_ = std::ranges::count(route.cores, route.cores[process]) > 1;
    const std::size_t stops = route.stops.size();
    for (std::size_t k = 0; k < stops; ++k) {
      if (route.stops[k] != process) continue;
      ins_.emplace_back(boxes[(k + stops - 1) % stops].bytes(), kSlots, route.size);
      outs_.emplace_back(boxes[k].bytes(), kSlots, route.size);
    }
  }

  // Process 0 throws first and catches last.
  [[nodiscard]] bool lap() {
    for (std::size_t k = 0; k < ins_.size(); ++k) {
      if (process_ != 0 || k != 0) {
        if (!receive(ins_[k])) return false;
      } else {
        std::ranges::fill(message_, std::byte{0});
      }
      message_.back() = std::byte(std::to_integer<int>(message_.back()) + 1);
      send(outs_[k]);
    }
    return process_ != 0 || receive(ins_[0]);
  }
  [[nodiscard]] std::byte marks() const { return message_.back(); }

 private:
  void send(MailboxRing& box) {
    std::memcpy(box.payload().data(), message_.data(), message_.size());
    box.flag().store(box.position() + 1, std::memory_order_release);
    box.advance();
  }
  [[nodiscard]] bool receive(MailboxRing& box) {
    const auto ready = [&] {
      if (box.flag().load(std::memory_order_acquire) == box.position() + 1) return true;
      if (shares_) sched_yield();
      return false;
    };
    if (!spin_until(ready)) return false;
    std::memcpy(message_.data(), box.payload().data(), message_.size());
    box.advance();
    return true;
  }

  std::size_t process_;
  bool shares_;
  std::vector<std::byte> message_;
  std::vector<MailboxRing> ins_, outs_;
};

RawRoute whole(RawRoute route) {
  if (!route.stops.empty()) return route;
  route.stops.resize(route.cores.size());
  std::iota(route.stops.begin(), route.stops.end(), std::size_t{0});
  return route;
}

}  // namespace

Status check(const RawRoute& route) {
  const auto wrong = [](const std::string& what) { return Status(Code::kInvalid, what); };
  const std::size_t stops = route.stops.size();
  if (stops < 2 || route.stops[0] != 0) return wrong("a route has at least two stops and begins at process 0");
  for (std::size_t k = 0; k < stops; ++k) {
    const std::size_t at = route.stops[k];
    if (at >= route.cores.size())
      return wrong("stop " + std::to_string(at) + " is no process: --cores names " +
                   std::to_string(route.cores.size()));
    if (at == route.stops[(k + 1) % stops])
      return wrong("process " + std::to_string(at) + " sends to itself; name another stop between");
  }
  for (std::size_t process = 0; process < route.cores.size(); ++process) {
    if (std::ranges::find(route.stops, process) == route.stops.end())
      return wrong("process " + std::to_string(process) + " has no stop; leave its processor out of --cores");
  }
  return {};
}

Result<double> raw_route_ns(const RawRoute& route, std::uint64_t laps) {
  WOA_RETURN_IF_ERROR(check(route));
  std::vector<Memory> boxes;
  for (std::size_t k = 0; k < route.stops.size(); ++k) {
    WOA_ASSIGN_OR_RETURN(auto memory,
                         Memory::map(MailboxRing::bytes(kSlots, route.size), Memory::Sharing::kWithChildren));
    const MailboxRing first(memory.bytes(), kSlots, route.size);  // clears the flags before anyone polls
    boxes.push_back(std::move(memory));
  }
  std::vector<Walker> walkers;
  for (std::size_t process = 0; process < route.cores.size(); ++process) walkers.emplace_back(route, boxes, process);
  std::vector<Member> others;
  for (std::size_t process = 1; process < route.cores.size(); ++process)
    others.push_back({route.cores[process], [&, process] {
                        for (std::uint64_t k = 0; k < kWarmUp + laps; ++k)
                          if (!walkers[process].lap()) return 1;
                        return 0;
                      }});
  WOA_ASSIGN_OR_RETURN(auto group, PinnedGroup::start(others, route.cores[0]));
  bool ok = true;
  for (std::uint64_t k = 0; ok && k < kWarmUp; ++k) ok = walkers[0].lap();
  const std::uint64_t start_ns = now_ns();
  for (std::uint64_t k = 0; ok && k < laps; ++k) ok = walkers[0].lap();
  const std::uint64_t end_ns = now_ns();
  if (!ok || group.wait() != 0) return {Code::kPeerLost, "a process of the raw route ended early"};
  if (walkers[0].marks() != std::byte(route.stops.size()))
    return {Code::kDataLoss, "a message came back without the marks of all stops"};
  return static_cast<double>(end_ns - start_ns) / static_cast<double>(laps * route.stops.size());
}

Result<Report> bench_route(const RouteOptions& chosen) {
  const RawRoute route = whole(chosen.route);
  WOA_RETURN_IF_ERROR(check(route));
  WOA_RETURN_IF_ERROR(check_processors(route.cores));
  const std::uint64_t laps = std::max<std::uint64_t>(1, chosen.count / route.stops.size());
  const Contest contest{
      "ns", chosen.repetitions, "", {{"raw mailbox", "limit", route.size, [&] { return raw_route_ns(route, laps); }}}};
  HostProbe probe;
  WOA_ASSIGN_OR_RETURN(auto rows, run_contest(contest, [&] { return probe.look(); }));
  return Report{"route", "shm", Better::kLess, probe.state(), std::move(rows)};
}

}  // namespace woa::bench
