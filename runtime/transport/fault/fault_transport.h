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
//   WireOptions::header_crc turns the CRC on, as channels between hosts have it;
// - a bit of a payload that has no CRC: those that stay on a host, and all with RunOptions::payload_crc off;
// - a bit of a returned block other than its turn: the producer's books show it only if what it names is not held.
// Payload in blocks passes no wire where memory is shared: no fault here touches it. A corrupt bit of a replica's block
// is flipped there once the wrapped transport has brought it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/transport/fault/fault_plan.h"
#include "runtime/transport/transport.h"

namespace woa {

struct WireOptions {
  Landing landing = Landing::kByNumber;
  bool header_crc = false;  // on every channel, whatever its spec says; both ends must agree
};

// Wraps any transport whose channels number packets from 1. Its ends allocate only while they do harm, and otherwise
// keep the wrapped transport's promises.
class FaultTransport final : public Transport {
 public:
  explicit FaultTransport(std::unique_ptr<Transport> inner, std::vector<FaultPlan> plans = {}, WireOptions wire = {});

  std::string_view name() const noexcept override { return name_; }  // "fault:shm"
  Result<std::shared_ptr<Segment>> allocate(std::string_view label, std::size_t bytes) override;
  Result<std::shared_ptr<Segment>> open(int descriptor, std::size_t bytes) override;
  Result<std::shared_ptr<Segment>> part(const std::shared_ptr<Segment>& segment, std::size_t offset,
                                        std::size_t bytes) override;
  Result<std::shared_ptr<Segment>> adopt(std::unique_ptr<Mapping> memory) override;
  Status connect(const std::shared_ptr<Segment>& segment, std::string_view description) override;
  void give_up_when(std::function<bool()> given_up) override { inner_->give_up_when(std::move(given_up)); }
  Result<std::unique_ptr<Mapping>> map(const std::shared_ptr<Segment>& segment, Access access) override;
  std::uint32_t header_room() const noexcept override { return inner_->header_room(); }
  std::uint64_t packets() const noexcept override { return inner_->packets(); }
  Result<std::size_t> channel_bytes(const ChannelSpec& spec) const override;
  Result<std::unique_ptr<Sender>> open_sender(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                              ChannelEnd end) override;
  Result<std::unique_ptr<Receiver>> open_receiver(const ChannelSpec& spec, std::shared_ptr<Segment> segment,
                                                  ChannelEnd end) override;
  Status close_channel(const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) override;

 private:
  ChannelSpec wired(ChannelSpec spec) const noexcept;

  std::unique_ptr<Transport> inner_;
  std::vector<FaultPlan> plans_;
  WireOptions wire_;
  std::string name_;
  std::uint32_t senders_ = 0, receivers_ = 0;  // opened so far
};

}  // namespace woa
