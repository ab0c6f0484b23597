// fault: another transport with a wire in its way that loses, delays, swaps, repeats or damages what it carries, on
// purpose. For tests: a run over it either ends with right results or says what is wrong, and never hangs.
//
//     FaultTransport transport(std::make_unique<ShmTransport>(), {{.kind = FaultKind::kDrop, .first = 5}});
//     options.transport = &transport;   // RunOptions; a node's program makes its own
//
// Each direction has its wire at the end where things arrive, between the wrapped transport's end and a second ring
// that is checked as every ring is. So faults strike below the numbering: a packet that is dropped has its sequence,
// and the next one shows the gap. As on every wire, keep-alives tell how much was sent, so that the loss of the last
// packet or return shows too (ADR 11); they come with every poll, behind what was sent before.
//
// What cannot be detected, because nothing in the packet shows it:
// - a header bit, where headers carry no CRC, that leaves a valid header of the same sequence (instance, tag, ...);
//   PathOptions::header_crc turns the CRC on, as channels between hosts have it;
// - a bit of a payload that has no CRC: those that stay on a host, and all with RunOptions::payload_crc off;
// - a bit of a returned block other than its turn: the producer's books show it only if what it names is not held.
// Payload in blocks passes no wire where memory is shared: no fault here touches it. A corrupt bit of a replica's block
// is flipped there once the wrapped transport has brought it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/transport/fault/fault_plan.h"
#include "runtime/transport/shared_memory.h"
#include "runtime/transport/wire.h"

namespace woa {

struct PathOptions {
  Landing landing = Landing::kByNumber;
  bool header_crc = false;  // on every channel, whatever its spec says; both ends must agree
};

// Puts the faults of some plans between the ends of channels and their users. Internal to the fault transports.
class FaultyEnds {
 public:
  FaultyEnds(std::vector<FaultPlan> plans, PathOptions path) : plans_(std::move(plans)), path_(path) {}

  // The spec that the wrapped transport opens an end with.
  [[nodiscard]] ChannelSpec wired(ChannelSpec spec) const noexcept;
  // `spec` is wired(). `ring`: the memory in which both ends meet, for deaths within a step; null for a wire.
  Result<std::unique_ptr<Sender>> wrap(const ChannelSpec& spec, Result<std::unique_ptr<Sender>> inner,
                                       SharedSegment* ring);
  Result<std::unique_ptr<PreparingSender>> wrap(const ChannelSpec& spec, Result<std::unique_ptr<PreparingSender>> inner,
                                                SharedSegment& ring);
  // `regions`: those whose payloads come over a wire.
  Result<std::unique_ptr<Receiver>> wrap(const ChannelSpec& spec, Result<std::unique_ptr<Receiver>> inner,
                                         SharedSegment* ring, std::span<const ChannelRegion> regions = {});
  // Ends the process if a plan says so.
  void connecting() const noexcept;

 private:
  template <class Faulty, class End>
  Result<std::unique_ptr<End>> wrap_sender(const ChannelSpec& spec, Result<std::unique_ptr<End>> inner,
                                           SharedSegment* ring);

  std::vector<FaultPlan> plans_;
  PathOptions path_;
  std::uint32_t senders_ = 0, receivers_ = 0;  // opened so far
};

// Wraps any transport whose channels number packets from 1. Its ends allocate only while they do harm, and otherwise
// keep the wrapped transport's promises.
class FaultTransport final : public SharedMemory {
 public:
  explicit FaultTransport(std::unique_ptr<SharedMemory> inner, std::vector<FaultPlan> plans = {},
                          PathOptions path = {});

  std::string_view name() const noexcept override { return name_; }  // "fault:shm"
  Result<std::shared_ptr<SharedSegment>> allocate(std::string_view label, std::size_t bytes) override {
    return inner_->allocate(label, bytes);
  }
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, SharedSegment& segment,
                                              Doorbell consumer) override;
  Result<std::unique_ptr<PreparingSender>> open_preparing_sender(const ChannelSpec& spec, SharedSegment& segment,
                                                                 Doorbell consumer) override;
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, SharedSegment& segment,
                                                  Doorbell producer) override;

 private:
  std::unique_ptr<SharedMemory> inner_;
  FaultyEnds ends_;
  std::string name_;
};

// The same for a wire. It has no rendezvous.
class FaultWire final : public Wire {
 public:
  explicit FaultWire(std::unique_ptr<Wire> inner, std::vector<FaultPlan> plans = {}, PathOptions path = {});

  std::string_view name() const noexcept override { return name_; }
  Result<std::shared_ptr<Replica>> allocate(std::string_view label, std::size_t bytes) override {
    return inner_->allocate(label, bytes);
  }
  Result<std::shared_ptr<Replica>> adopt(std::unique_ptr<Mapping> memory) override {
    return inner_->adopt(std::move(memory));
  }
  Status connect(const std::shared_ptr<Replica>& replica, std::string_view description,
                 const std::function<bool()>& given_up) override {
    ends_.connecting();
    return inner_->connect(replica, description, given_up);
  }
  void all_connected() noexcept override { inner_->all_connected(); }
  Result<std::size_t> channel_bytes(const ChannelSpec& spec) const override { return inner_->channel_bytes(spec); }
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                              Doorbell own, std::span<const ChannelRegion> regions) override;
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica,
                                                  Doorbell own, std::span<const ChannelRegion> regions) override;
  Status close_channel(const ChannelSpec& spec, const std::shared_ptr<Replica>& replica) override {
    return inner_->close_channel(spec, replica);
  }
  std::uint64_t packets() const noexcept override { return inner_->packets(); }

 private:
  std::unique_ptr<Wire> inner_;
  FaultyEnds ends_;
  std::string name_;
};

}  // namespace woa
