#include "bench/micro/random_updates.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/micro/pair_race.h"
#include "runtime/messaging/onesided/aggregated_updater.h"
#include "runtime/messaging/onesided/hardware_updater.h"
#include "runtime/messaging/onesided/naive_updater.h"
#include "runtime/messaging/onesided/update_receiver.h"

namespace woa::bench {
namespace {

using onesided::Link;
using onesided::LinkSpec;
using onesided::Outcome;
using onesided::Region;
using onesided::Sharing;
using onesided::Update;
using onesided::UpdateReceiver;

constexpr std::uint64_t kProcesses = RandomTable::kProcesses;
constexpr std::size_t kPollBatch = kLookAhead;

using Regions = std::vector<Region>;

std::span<std::uint64_t> words_of(const Region& region) {
  return {reinterpret_cast<std::uint64_t*>(region.bytes().data()), region.bytes().size() / sizeof(std::uint64_t)};
}

Result<Regions> make_regions(SharedMemory& transport, const RandomTable& table, Sharing sharing) {
  Regions regions;
  for (std::uint64_t process = 0; process < kProcesses; ++process) {
    WOA_ASSIGN_OR_RETURN(auto region,
                         Region::make(transport, "table", table.part_words() * sizeof(std::uint64_t), sharing));
    if (region.segment()->descriptor() < 0)
      return {Code::kUnsupported, std::string(transport.name()) + " does not cross processes"};
    regions.push_back(std::move(region));
  }
  return regions;
}

// The ends of one process: an updater for each part that it updates through one, and a receiver for each process that
// sends to it. All are opened before the fork, so that the child has no error to report.
template <class Updater>
struct Ends {
  std::array<std::unique_ptr<Updater>, kProcesses> updaters;
  std::array<std::unique_ptr<UpdateReceiver>, kProcesses> receivers;

  void poll() noexcept {
    for (auto& receiver : receivers)
      if (receiver != nullptr) receiver->poll(kPollBatch);
  }
  // Issues, polling while there is no place. False: it cannot be done.
  [[nodiscard]] bool issue(std::uint64_t owner, const Update& update) noexcept {
    Outcome outcome = updaters[owner]->update(update);
    if (outcome == Outcome::kOk) [[likely]]
      return true;
    return spin_until([&] {
             poll();
             outcome = updaters[owner]->update(update);
             return outcome != Outcome::kBackPressured;
           }) &&
           outcome == Outcome::kOk;
  }
  [[nodiscard]] bool flush() noexcept {
    return std::all_of(updaters.begin(), updaters.end(), [&](auto& updater) {
      return updater == nullptr || spin_until([&] {
               const Outcome outcome = updater->flush();
               if (outcome == Outcome::kBackPressured) poll();
               return outcome == Outcome::kOk;
             });
    });
  }
  [[nodiscard]] bool complete() noexcept {
    return flush() && spin_until([&] {
             poll();
             return std::all_of(updaters.begin(), updaters.end(), [](auto& updater) {
               return updater == nullptr || updater->completed() == updater->issued();
             });
           });
  }
};

template <class Updater>
Status connect(SharedMemory& transport, const LinkSpec& spec, const Regions& regions, std::uint64_t from,
               std::uint64_t to, std::array<Ends<Updater>, kProcesses>& ends) {
  WOA_ASSIGN_OR_RETURN(auto link, allocate_link(transport, spec, "updates"));
  WOA_ASSIGN_OR_RETURN(ends[from].updaters[to], Updater::open(transport, spec, link, {regions[to].bytes().size(), {}}));
  WOA_ASSIGN_OR_RETURN(ends[to].receivers[from], UpdateReceiver::open(transport, spec, link, regions[to]));
  return {};
}

template <class Updater, class Run>
Result<double> timed(const RandomTable& table, const Regions& regions, std::array<Ends<Updater>, kProcesses>& ends,
                     Run&& run) {
  const std::array parts{words_of(regions[0]), words_of(regions[1])};
  const auto prepare = [&](std::uint64_t process) {
    table.fill(parts[process], process);
    return touch_pages(std::as_bytes(parts[1 - process]));
  };
  const auto ns = race_ns({prepare, run, [&](std::uint64_t process) { ends[process].poll(); }});
  if (!ns.ok()) return ns;
  WOA_RETURN_IF_ERROR(check_table(table, parts));
  return ns;
}

}  // namespace

Result<double> naive_updates_ns(SharedMemory& transport, const RandomTable& table) {
  constexpr LinkSpec kSpec{.ring_slots = kNaiveRingSlots, .buckets = 0, .bucket_units = 2, .result_slots = 1};
  WOA_ASSIGN_OR_RETURN(auto regions, make_regions(transport, table, Sharing::kExclusive));
  std::array<Ends<onesided::NaiveUpdater>, kProcesses> ends;
  for (std::uint64_t from = 0; from < kProcesses; ++from)
    WOA_RETURN_IF_ERROR(connect(transport, kSpec, regions, from, 1 - from, ends));
  return timed(table, regions, ends, [&](std::uint64_t process) {
    auto& own = ends[process];
    const std::span<std::uint64_t> words = words_of(regions[process]);
    const auto update = [&own, table, words, process](std::uint64_t number) {
      const std::uint64_t owner = table.owner_of(number);
      if (owner != process) return own.issue(owner, exclusive_or(table, number));
      words[table.index_of(number)] ^= number;
      return true;
    };
    const auto look = [&] {
      own.poll();
      return true;
    };
    return run_stream(table, process, update, look) && own.complete();
  });
}

Result<double> aggregated_updates_ns(SharedMemory& transport, const RandomTable& table) {
  constexpr LinkSpec kSpec{.ring_slots = 16, .buckets = 8, .bucket_units = kLookAhead, .result_slots = 1};
  WOA_ASSIGN_OR_RETURN(auto regions, make_regions(transport, table, Sharing::kExclusive));
  std::array<Ends<onesided::AggregatedUpdater>, kProcesses> ends;
  for (std::uint64_t from = 0; from < kProcesses; ++from)
    for (std::uint64_t to = 0; to < kProcesses; ++to)
      WOA_RETURN_IF_ERROR(connect(transport, kSpec, regions, from, to, ends));
  return timed(table, regions, ends, [&](std::uint64_t process) {
    auto& own = ends[process];
    const auto update = [&own, table](std::uint64_t number) {
      return own.issue(table.owner_of(number), exclusive_or(table, number));
    };
    const auto look = [&] {
      if (!own.flush()) return false;
      own.poll();
      return true;
    };
    return run_stream(table, process, update, look) && own.complete();
  });
}

Result<double> hardware_updates_ns(SharedMemory& transport, const RandomTable& table) {
  WOA_ASSIGN_OR_RETURN(auto regions, make_regions(transport, table, Sharing::kCoherent));
  std::array<Ends<onesided::HardwareUpdater>, kProcesses> ends;
  for (std::uint64_t from = 0; from < kProcesses; ++from) {
    for (std::uint64_t to = 0; to < kProcesses; ++to) {
      WOA_ASSIGN_OR_RETURN(ends[from].updaters[to],
                           onesided::HardwareUpdater::open(
                               regions[to], {.origin = static_cast<std::uint32_t>(from), .result_slots = 1}));
    }
  }
  return timed(table, regions, ends, [&](std::uint64_t process) {
    auto& own = ends[process];
    const auto update = [&own, table](std::uint64_t number) {
      return own.issue(table.owner_of(number), exclusive_or(table, number));
    };
    return run_stream(table, process, update, [] { return true; }) && own.complete();
  });
}

}  // namespace woa::bench
