// One of two hosts, as a test starts it: ofi_peer producer|consumer FOLDER INTERFACE PACKETS
//
// The two find each other by files in FOLDER, send PACKETS payloads from the producer to the consumer, and check every
// byte; PACKETS 0 goes on for ever. Prints "ready" when packets flow. Exit codes: 0 done; 3 the peer is lost, with the
// reason on stdout; 4 libfabric is unavailable; 1 anything else.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

#include "runtime/base/clock.h"
#include "runtime/memory/block_pool.h"
#include "runtime/transport/idle.h"
#include "runtime/transport/ofi/ofi_transport.h"

namespace woa::test {
namespace {

namespace fs = std::filesystem;

constexpr ChannelSpec kSpec{.ring_slots = 16, .return_slots = 8, .inline_bytes = 64, .header_crc = true};
constexpr std::uint32_t kBlocks = 8;
constexpr std::uint64_t kBlockBytes = 4096;
constexpr std::uint64_t kPatienceNs = 10'000'000'000;

[[noreturn]] void fail(const Status& status) {
  std::printf("%s: %s\n", std::string(to_string(status.code())).c_str(), status.message().c_str());
  std::fflush(stdout);
  std::_Exit(status.code() == Code::kPeerLost ? 3 : status.code() == Code::kUnavailable ? 4 : 1);
}

template <class T>
T need(Result<T> result) {
  if (!result.ok()) fail(result.status());
  return std::move(*result);
}

void need(const Status& status) {
  if (!status.ok()) fail(status);
}

struct Arguments {
  bool producer = false;
  fs::path folder;
  std::string interface;
  std::uint64_t packets = 0;
};

// Hands this side's description of a segment to the other, and connects to the other's.
void exchange(Wire& transport, const Arguments& arguments, const std::string& name,
              const std::shared_ptr<Replica>& segment) {
  const auto file = [&](bool producer) { return arguments.folder / (name + (producer ? ".producer" : ".consumer")); };
  const fs::path mine = file(arguments.producer), theirs = file(!arguments.producer), unfinished = mine.string() + "~";
  std::ofstream(unfinished, std::ios::binary) << segment->description();
  fs::rename(unfinished, mine);
  const std::uint64_t begin = now_ns();
  while (!fs::exists(theirs)) {
    if (now_ns() - begin > kPatienceNs) fail({Code::kPeerLost, "the other process did not describe its " + name});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::ifstream stream(theirs, std::ios::binary);
  need(transport.connect(segment, std::string(std::istreambuf_iterator<char>(stream), {}), {}));
}

void ready() {
  std::puts("ready");
  std::fflush(stdout);
}

std::byte value_of(std::uint64_t packet, std::size_t at) { return static_cast<std::byte>(packet * 31 + at); }

struct Side {
  explicit Side(const Arguments& given) : arguments(given) {
    exchange(*transport, arguments, "region", region);
    exchange(*transport, arguments, "channel", channel);
  }

  const Arguments& arguments;
  DoorbellLine bell;
  std::unique_ptr<OfiTransport> transport = need(make_ofi_transport({.interface = arguments.interface}));
  std::shared_ptr<Replica> region = need(transport->allocate("region", kBlocks*(kBlockBytes + kHeaderRoom)));
  std::shared_ptr<Replica> channel = need(transport->allocate("channel", need(transport->channel_bytes(kSpec))));
  std::unique_ptr<Mapping> memory = need(region->map(Access::kReadWrite));
  Doorbell own{&bell};
  std::vector<ChannelRegion> regions{{0, kBlocks, kBlockBytes, region}};
};

int produce(Side& side) {
  const auto sender = need(side.transport->open_sender(kSpec, side.channel, side.own, side.regions));
  auto pool = need(BlockPool::make(kBlocks, kBlockBytes, kHeaderRoom));
  Idle idle(side.own);
  std::uint64_t sent = 0, back = 0;
  const auto send_one = [&] {
    std::uint32_t offset = 0;
    if ((side.arguments.packets != 0 && sent == side.arguments.packets) || !pool.claim(offset)) return false;
    if (sender->reserve() != Push::kOk) return pool.hold(offset, 0), false;
    std::byte* payload = side.memory->bytes().data() + std::size_t{offset} * kOffsetUnitBytes;
    for (std::size_t k = 0; k < kBlockBytes; ++k) payload[k] = value_of(sent, k);
    ActivationPacket packet;
    packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
    packet.instance = sent++;
    packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
    packet.offset = offset;
    packet.payload_bytes = kBlockBytes;
    pool.hold(offset, 1);
    sender->commit(packet);
    sender->wake();
    return true;
  };
  const auto work = [&] {
    std::array<BlockReturn, 4> blocks;
    const std::size_t count = sender->poll_returns(blocks);
    for (std::size_t k = 0; k < count; ++k)
      if (!pool.release(blocks[k].offset)) fail({Code::kDataLoss, "a block came back twice"});
    if (back == 0 && count > 0) ready();
    back += count;
    return send_one() || count > 0;
  };
  while (back != side.arguments.packets || side.arguments.packets == 0) {
    idle.idle(work(), work);
    need(sender->status());
    if (is_closed(*sender)) fail({Code::kPeerLost, "the consumer closed"});
  }
  return 0;
}

class Reader final : public PacketSink {
 public:
  Reader(Receiver& receiver, std::span<const std::byte> memory) : receiver_(receiver), memory_(memory) {}
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte>) noexcept override {
    const std::byte* payload = memory_.data() + std::size_t{packet.offset} * kOffsetUnitBytes;
    right_ &= packet.instance == received && packet.payload_bytes == kBlockBytes;
    for (std::size_t k = 0; right_ && k < kBlockBytes; ++k) right_ = payload[k] == value_of(received, k);
    if (!right_) fail({Code::kDataLoss, "packet " + std::to_string(received) + " or its payload is wrong"});
    receiver_.give_back({0, packet.offset, 0, 0});
    if (received++ == 0) ready();
    return true;
  }
  std::uint64_t received = 0;

 private:
  Receiver& receiver_;
  std::span<const std::byte> memory_;
  bool right_ = true;
};

int consume(Side& side) {
  const auto receiver = need(side.transport->open_receiver(kSpec, side.channel, side.own, side.regions));
  Reader reader(*receiver, side.memory->bytes());
  Idle idle(side.own);
  const auto work = [&] {
    const bool some = receiver->poll(reader, 8) > 0;
    if (some) receiver->wake();
    return some;
  };
  while (!receiver->closed()) {
    idle.idle(work(), work);
    need(receiver->status());
  }
  return reader.received == side.arguments.packets ? 0 : 1;
}

}  // namespace
}  // namespace woa::test

int main(int count, char** values) {
  if (count != 5) {
    std::fputs("usage: ofi_peer producer|consumer FOLDER INTERFACE PACKETS\n", stderr);
    return 2;
  }
  const woa::test::Arguments arguments{std::strcmp(values[1], "producer") == 0, values[2], values[3],
                                       std::stoull(values[4])};
  woa::test::Side side(arguments);
  return arguments.producer ? woa::test::produce(side) : woa::test::consume(side);
}
