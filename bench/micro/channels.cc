#include "bench/micro/channels.h"

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "bench/micro/channel.h"
#include "runtime/base/free_memory.h"
#include "runtime/measure/pinned_group.h"
#include "runtime/memory/pages.h"

namespace woa::bench {
namespace {

// One process's ends: it sends by one half of the channels and receives by the other.
struct Ends {
  std::vector<std::unique_ptr<Sender>> senders;
  std::vector<std::unique_ptr<Receiver>> receivers;
};

struct Channels {
  SharedMemory* transport = nullptr;
  ChannelSpec spec;
  std::shared_ptr<SharedSegment> whole;
  std::size_t bytes = 0, stride = 0;
  std::uint64_t pairs = 0;
};

Result<Channels> allocate(SharedMemory& transport, std::uint64_t pairs) {
  Channels channels;
  channels.transport = &transport;
  channels.pairs = pairs;
  WOA_ASSIGN_OR_RETURN(auto bytes, ring_channel_bytes(channels.spec));
  channels.bytes = bytes;
  channels.stride = whole_pages(bytes);
  WOA_ASSIGN_OR_RETURN(channels.whole, transport.allocate("channels", 2 * pairs * channels.stride));
  if (channels.whole->descriptor() < 0)
    return {Code::kUnsupported, std::string(transport.name()) + ": memory does not cross processes; use shm"};
  return channels;
}

Result<Ends> open_ends(const Channels& channels, bool first) {
  Ends ends;
  for (std::uint64_t c = 0; c < 2 * channels.pairs; ++c) {
    WOA_ASSIGN_OR_RETURN(auto part, channels.whole->part(c * channels.stride, channels.bytes));
    if ((c < channels.pairs) == first) {
      WOA_ASSIGN_OR_RETURN(auto sender, channels.transport->open_sender(channels.spec, *part, {}));
      ends.senders.push_back(std::move(sender));
    } else {
      WOA_ASSIGN_OR_RETURN(auto receiver, channels.transport->open_receiver(channels.spec, *part, {}));
      ends.receivers.push_back(std::move(receiver));
    }
  }
  return ends;
}

// Sends a ring full of packets through each channel, and receives one from each. False: the other process is gone.
bool exchange(const Channels& channels, Ends& ends) {
  class Nothing final : public PacketSink {
    bool on_packet(const ActivationPacket&, std::span<const std::byte>) noexcept override { return true; }
  } nothing;
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  const std::vector<std::byte> message(channels.spec.inline_bytes);
  packet.payload_bytes = message.size();
  packet.flags = kInline;
  for (const auto& sender : ends.senders) {
    for (std::uint32_t k = 0; k < channels.spec.ring_slots; ++k) {
      if (!wait_for_place(*sender)) return false;
      sender->commit(packet, message);
    }
  }
  for (const auto& receiver : ends.receivers) {
    if (!take_packets(*receiver, nothing, channels.spec.ring_slots)) return false;
  }
  return true;
}

// Resident memory of this process without a file behind it.
double anonymous_kib() { return static_cast<double>(number_behind("/proc/self/status", "RssAnon:")); }

double open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<double>(std::distance(begin(all), end(all))) - 1;  // the iterator's own
}

// Shared memory of the two processes.
struct Shared {
  std::array<std::atomic<double>, 2> anonymous_kib{};  // that each process took for its ends
  std::atomic<int> arrived{0};
};

// Returns when both processes have called this `times` times. False: the other process is gone.
bool meet(Shared& shared, int times) {
  shared.arrived.fetch_add(1);
  return spin_until([&] { return shared.arrived.load() >= 2 * times; });
}

// One process's part. kPeerLost: a channel does not work, or the other process is gone.
Status take_part(const Channels& channels, bool first, Shared& shared, const std::function<void()>& measure) {
  const double before = anonymous_kib();
  WOA_ASSIGN_OR_RETURN(auto ends, open_ends(channels, first));
  const auto tell_and_measure = [&](int times) {
    shared.anonymous_kib[first ? 0 : 1].store(anonymous_kib() - before);
    if (!meet(shared, 2 * times - 1)) return false;
    measure();
    return meet(shared, 2 * times);
  };
  if (tell_and_measure(1) && exchange(channels, ends) && tell_and_measure(2)) return {};
  return {Code::kPeerLost, "a channel did not carry its packets, or the other process could not open its ends"};
}

double segment_kib(const SharedSegment& segment) {
  struct stat about {};
  return ::fstat(segment.descriptor(), &about) == 0 ? static_cast<double>(about.st_blocks) / 2 : 0;
}

}  // namespace

Result<Report> bench_channels(SharedMemory& transport, std::uint64_t pairs) {
  WOA_ASSIGN_OR_RETURN(auto channels, allocate(transport, pairs));
  WOA_ASSIGN_OR_RETURN(auto memory, Memory::map(sizeof(Shared), Memory::Sharing::kWithChildren));
  auto* shared = new (memory.bytes().data()) Shared;
  WOA_ASSIGN_OR_RETURN(auto group,
                       PinnedPair::start([&] { return take_part(channels, false, *shared, [] {}).ok() ? 0 : 1; }));
  std::vector<double> kib;  // per pair, unused and used
  double descriptors = 0;
  const Status worked = take_part(channels, true, *shared, [&] {
    const double ends = shared->anonymous_kib[0].load() + shared->anonymous_kib[1].load();
    kib.push_back((segment_kib(*channels.whole) + ends) / static_cast<double>(pairs));
    descriptors = open_descriptors();
  });
  if (!worked.ok()) return worked;
  if (group.wait() != 0) return {Code::kPeerLost, "a channel did not carry its packets to the other process"};
  return Report{"channels",
                std::string(transport.name()),
                Better::kLess,
                "n/a",
                {{"an idle pair, never used", "ours", 0, "KiB", {kib[0]}, 0},
                 {"an idle pair, after its rings were full", "ours", 0, "KiB", {kib[1]}, 0},
                 {"open files of a process, all pairs", "ours", 0, "descriptors", {descriptors}, 0}}};
}

}  // namespace woa::bench
