#include "bench/micro/ofi_job.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <tuple>
#include <vector>

#include "bench/micro/channel.h"
#include "runtime/transport/ofi/ofi_transport.h"
#include "tests/support/free_places.h"

namespace woa::bench {
namespace {

Result<std::unique_ptr<OfiTransport>> open_transport(const WireJob& job) {
  OfiOptions options;
  options.provider = job.provider;
  return make_ofi_transport(options);
}

// A replica that is connected to the other process's.
Result<std::shared_ptr<Replica>> connected(Wire& transport, const Talk& talk, std::size_t bytes) {
  auto segment = transport.allocate("bench", bytes);
  if (!segment.ok()) return segment;
  WOA_RETURN_IF_ERROR(transport.connect(*segment, talk.swap((*segment)->description()), {}));
  return segment;
}

// Keeps the last packet's inline payload, and sends it again.
struct Ball final : PacketSink {
  explicit Ball(std::uint64_t bytes) : payload(bytes) {
    header.kind = static_cast<std::uint8_t>(PacketKind::kPoison);  // the kind that carries inline payload
    header.status = static_cast<std::uint8_t>(Code::kInternal);
    header.flags = static_cast<std::uint8_t>(kInline);
    header.payload_bytes = bytes;
  }
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override {
    header = packet;
    std::copy(inline_payload.begin(), inline_payload.end(), payload.begin());
    return true;
  }
  ActivationPacket header;
  std::vector<std::byte> payload;
};

// Both directions between the two processes. Members go from the last to the first.
struct PingPong {
  explicit PingPong(std::uint64_t bytes) : ball(bytes) {}
  std::unique_ptr<OfiTransport> transport;
  std::shared_ptr<Replica> there, back;
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Receiver> receiver;
  Ball ball;

  [[nodiscard]] bool send() {
    if (!wait_for_place(*sender)) return false;
    sender->commit(ball.header, ball.payload);
    return true;
  }
  [[nodiscard]] bool run(bool first, std::uint64_t times) {
    bool ok = true;
    for (std::uint64_t k = 0; ok && k < times; ++k) {
      if (first) ok = send();
      ok = ok && take_packets(*receiver, ball, 1);
      if (!first) ok = ok && send();
    }
    return ok;
  }
};

Result<std::shared_ptr<PingPong>> open_ping_pong(const WireJob& job, const Talk& talk) {
  auto out = std::make_shared<PingPong>(job.bytes);
  WOA_ASSIGN_OR_RETURN(out->transport, open_transport(job));
  ChannelSpec spec;
  spec.inline_bytes = 192;
  WOA_ASSIGN_OR_RETURN(const auto bytes, out->transport->channel_bytes(spec));
  WOA_ASSIGN_OR_RETURN(out->there, connected(*out->transport, talk, bytes));
  WOA_ASSIGN_OR_RETURN(out->back, connected(*out->transport, talk, bytes));
  const auto& [forth, back] = talk.first() ? std::tie(out->there, out->back) : std::tie(out->back, out->there);
  WOA_ASSIGN_OR_RETURN(out->sender, out->transport->open_sender(spec, forth, {}, {}));
  WOA_ASSIGN_OR_RETURN(out->receiver, out->transport->open_receiver(spec, back, {}, {}));
  return out;
}

struct PayloadStream final : PacketSink {
  explicit PayloadStream(BlockPool blocks) : pool(std::move(blocks)) {}
  std::unique_ptr<OfiTransport> transport;
  std::shared_ptr<Replica> region, channel;
  BlockPool pool;
  std::unique_ptr<Sender> sender;
  std::unique_ptr<Receiver> receiver;
  std::uint64_t bytes = 0, batch = 1;

  [[nodiscard]] bool produce(std::uint64_t messages) {
    const std::uint32_t all = pool.free_blocks();
    ActivationPacket header;
    header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
    header.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
    header.payload_bytes = bytes;
    for (std::uint64_t k = 0; k < messages; ++k) {
      if (!spin_until([&] { return take_back(*sender, pool) && pool.claim(header.offset); }) ||
          !wait_for_place(*sender))
        return false;
      pool.hold(header.offset, 1);
      sender->commit(header);
    }
    return spin_until([&] { return take_back(*sender, pool) && pool.free_blocks() == all; });
  }
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte>) noexcept override {
    receiver->give_back({0, packet.offset, packet.region, 0});
    return true;
  }
  [[nodiscard]] bool consume(std::uint64_t messages) {
    for (std::uint64_t k = 1; k <= messages; ++k) {
      if (!take_packets(*receiver, *this, 1)) return false;
      if (k % batch == 0 || k == messages) receiver->wake();  // as a controller does after a batch
    }
    return true;
  }
};

Result<std::shared_ptr<PayloadStream>> open_stream(const WireJob& job, const Talk& talk) {
  WOA_ASSIGN_OR_RETURN(auto transport, open_transport(job));
  const std::uint64_t block_bytes = (job.bytes + kOffsetUnitBytes - 1) / kOffsetUnitBytes * kOffsetUnitBytes;
  WOA_ASSIGN_OR_RETURN(auto pool, BlockPool::make(job.slots, block_bytes, kHeaderRoom));
  auto out = std::make_shared<PayloadStream>(std::move(pool));
  out->transport = std::move(transport), out->bytes = job.bytes;
  out->batch = std::max(1U, job.slots / 4);  // like the raw job's credits
  ChannelSpec spec;
  spec.ring_slots = spec.return_slots = std::bit_ceil(std::max(job.slots, 64U));
  spec.inline_bytes = 0;
  WOA_ASSIGN_OR_RETURN(const auto bytes, out->transport->channel_bytes(spec));
  WOA_ASSIGN_OR_RETURN(auto region, connected(*out->transport, talk, job.slots * (block_bytes + kHeaderRoom)));
  WOA_ASSIGN_OR_RETURN(auto channel, connected(*out->transport, talk, bytes));
  out->region = region, out->channel = channel;
  const std::array regions{ChannelRegion{0, job.slots, block_bytes, region}};
  if (talk.first()) {
    WOA_ASSIGN_OR_RETURN(out->sender, out->transport->open_sender(spec, channel, {}, regions));
  } else {
    WOA_ASSIGN_OR_RETURN(out->receiver, out->transport->open_receiver(spec, channel, {}, regions));
  }
  return out;
}

// Members go from the last to the first.
struct PacketStream final : PacketSink {
  std::unique_ptr<OfiTransport> transport;
  std::shared_ptr<Replica> channel;
  std::unique_ptr<Sender> sender;      // of the first process
  std::unique_ptr<Receiver> receiver;  // of the other
  ActivationPacket header;
  std::vector<std::byte> payload;  // inline
  std::uint64_t batch = 1;
  std::uint32_t slots = 0;

  explicit PacketStream(std::uint64_t bytes) : payload(bytes, std::byte{1}) {
    header.kind = static_cast<std::uint8_t>(bytes == 0 ? PacketKind::kRetire : PacketKind::kActivate);
    header.flags = bytes == 0 ? std::uint8_t{0} : std::uint8_t{kInline};
    header.payload_bytes = bytes;
  }

  bool on_packet(const ActivationPacket& /*packet*/, std::span<const std::byte> /*inline_payload*/) noexcept override {
    return true;
  }
  [[nodiscard]] bool produce(std::uint64_t messages) {
    for (std::uint64_t k = 0; k < messages; ++k) {
      if (!wait_for_place(*sender)) return false;
      sender->commit(header, payload);
    }
    return spin_until([&] { return (void)sender->poll_returns({}), test::free_places(*sender, slots) == slots; });
  }
  [[nodiscard]] bool consume(std::uint64_t messages) {
    for (std::uint64_t left = messages, some = 0; left > 0; left -= some) {
      some = std::min(left, batch);
      if (!take_packets(*receiver, *this, some)) return false;
      receiver->wake();  // as a controller does after a batch
    }
    return true;
  }
};

Result<std::shared_ptr<PacketStream>> open_packets(const WireJob& job, const Talk& talk) {
  auto out = std::make_shared<PacketStream>(job.bytes);
  WOA_ASSIGN_OR_RETURN(auto transport, open_transport(job));
  out->transport = std::move(transport), out->batch = std::max(1U, job.slots / 4);
  out->slots = job.slots;
  ChannelSpec spec;
  spec.ring_slots = job.slots;
  spec.inline_bytes = inline_room(job.bytes);
  WOA_ASSIGN_OR_RETURN(const auto bytes, out->transport->channel_bytes(spec));
  WOA_ASSIGN_OR_RETURN(auto channel, connected(*out->transport, talk, bytes));
  out->channel = channel;
  if (talk.first()) {
    WOA_ASSIGN_OR_RETURN(out->sender, out->transport->open_sender(spec, channel, {}, {}));
  } else {
    WOA_ASSIGN_OR_RETURN(out->receiver, out->transport->open_receiver(spec, channel, {}, {}));
  }
  return out;
}

// The first side produces, the other one consumes.
template <auto kOpen>
Result<double> streamed_ns(const WireJob& job) {
  return run_sides(sides_of(job), [&](const Talk& talk) -> Result<Side> {
    WOA_ASSIGN_OR_RETURN(const auto side, kOpen(job, talk));
    return Side([side, first = talk.first()](std::uint64_t messages) {
      return gone_unless(first ? side->produce(messages) : side->consume(messages));
    });
  });
}

}  // namespace

Result<double> ofi_hop_ns(const WireJob& job) {
  return run_sides(sides_of(job), [&](const Talk& talk) -> Result<Side> {
    WOA_ASSIGN_OR_RETURN(const auto side, open_ping_pong(job, talk));
    return Side([side, first = talk.first()](std::uint64_t times) { return gone_unless(side->run(first, times)); });
  });
}

Result<double> ofi_packets_ns(const WireJob& job) { return streamed_ns<open_packets>(job); }

Result<double> ofi_stream_ns(const WireJob& job) { return streamed_ns<open_stream>(job); }

}  // namespace woa::bench
