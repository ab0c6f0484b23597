// The sending half of a controller: claims before a firing, packets after it, poison instead of it (rules 2, 6 and 8).
//
// Owns the books of everything this controller produces: the block pools of its regions and the credits of its edges.
// One thread; no allocation after construction.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/passed_blocks.h"
#include "runtime/controller/stats.h"
#include "runtime/memory/block_pool.h"
#include "runtime/memory/credits.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/plan/plan.h"
#include "runtime/transport/channel.h"

namespace woa {

// The ends of channels and the mapped regions of one controller.
struct Wiring {
  std::vector<std::unique_ptr<Mapping>> mappings;    // what the others point into; goes last
  std::vector<std::unique_ptr<Sender>> senders;      // by channel of the layout; null where it is another's
  std::vector<std::unique_ptr<Receiver>> receivers;  // likewise
  std::vector<std::span<std::byte>> regions;         // by region; empty if this controller neither writes nor reads it
};

// What decides where a firing's tokens go.
struct FiringKey {
  std::uint64_t instance = 0, tag = 0;
};

// One token's reservation: a block of its output's region, and for each edge that takes it (of a reader with replicas
// one does) a credit and a place in the channel's ring. A port that starts a scatter has one for each element that it
// may write. A port that is written in place has no region: its block is that of the firing's token, which the
// controller sets.
struct PortClaim {
  std::span<std::byte> block;
  std::uint32_t offset = 0;  // units of 64 bytes
  std::uint16_t region = 0;
};

// A packet for a stage of this same controller, or the bytes of its inline message.
class LocalDelivery {
 public:
  virtual ~LocalDelivery() = default;
  virtual void deliver(std::uint32_t edge, const ActivationPacket& packet,
                       std::span<const std::byte> inline_payload) noexcept = 0;
};

class Outputs {
 public:
  // Everything outlives this object. kTooLarge: a region beyond 256 GiB.
  static Result<std::unique_ptr<Outputs>> make(const Plan& plan, const Layout& layout, std::uint32_t controller,
                                               Wiring& wiring, LocalDelivery& local, ControllerStats& stats);

  // How many claims a firing has: one of each output port, of a scatter's as many as it has elements.
  [[nodiscard]] std::size_t claims_of(std::uint32_t stage) const noexcept;
  // All claims of a firing or none: every output port of `stage`, unwritten ports of one_of groups included, in order.
  [[nodiscard]] bool claim(std::uint32_t stage, const FiringKey& key, std::uint64_t oldest,
                           std::span<PortClaim> claims) noexcept;
  // Gives all claims of a firing back unused.
  void abort(std::uint32_t stage, const FiringKey& key, std::span<const PortClaim> claims) noexcept;
  // Gives one claim back unused: a port's, or an element's.
  void abort_one(std::uint32_t stage, std::uint32_t port, std::uint32_t element, const PortClaim& claim,
                 const FiringKey& key) noexcept;
  // Of a firing that a device failed: its counts are not sent.
  void abort_counts(std::uint32_t stage, const FiringKey& key) noexcept;
  // Sends what was written to every edge that takes it. `header` holds instance, deadline, payload_bytes and whether it
  // is absent; the rest is filled in here, anew for each edge. `element`: its number, 0 if the port starts no scatter.
  void commit(std::uint32_t stage, std::uint32_t port, std::uint32_t element, const PortClaim& claim, std::uint64_t tag,
              ActivationPacket& header) noexcept;
  // The plan's edges that take that token; for traces.
  [[nodiscard]] std::vector<std::uint32_t> takers(std::uint32_t stage, std::uint32_t port, std::uint32_t element,
                                                  const FiringKey& key) const;
  // Tells those who gather a port's elements how many there are, once they are committed; of a port that scatters
  // nothing, the relays that wait for what it writes: 0. `header` as above; it is changed.
  void commit_count(std::uint32_t stage, std::uint32_t port, std::uint32_t elements, std::uint64_t tag,
                    ActivationPacket& header) noexcept;
  // The same for packets that a device wrote: one sealed header per edge of the port, in the order of the layout.
  Status commit_sealed(std::uint32_t edge, const ActivationPacket& header, std::string_view message) noexcept;
  void hold_block(const PortClaim& claim, std::uint32_t holders) noexcept;
  // A failed firing's edge: its credit comes back, its place in the ring is kept for the poison.
  void return_credit(std::uint32_t edge, std::uint64_t instance) noexcept;
  // A place for poison without a firing. Poison needs no credit, so a reader who is busy may have left no place:
  // kBackPressured means try again, kClosed that nobody will ever read it.
  [[nodiscard]] Push reserve_poison(std::uint32_t edge) noexcept;
  void cancel_poison(std::uint32_t edge) noexcept;

  // A relay sends the token that it was given to every edge of a port: same payload block, same tag. `payload` is what
  // the block holds. One that gathers sends `elements` tokens and then their number.
  [[nodiscard]] bool claim_relay(std::uint32_t stage, std::uint32_t port, std::uint32_t elements, const FiringKey& key,
                                 std::uint64_t oldest) noexcept;
  void abort_relay(std::uint32_t stage, std::uint32_t port, std::uint32_t elements, const FiringKey& key) noexcept;
  void commit_relay(std::uint32_t stage, std::uint32_t port, const ActivationPacket& token,
                    std::span<const std::byte> payload) noexcept;

  // Poison on one edge. `header` holds status, origin, instance and deadline. Outcomes as reserve_poison().
  [[nodiscard]] Push poison(std::uint32_t edge, const ActivationPacket& header, std::string_view message) noexcept;

  // Whether since the last call a claim failed because a ring had no place. Nobody tells when it has one again: the
  // claim must be tried at the next occasion.
  [[nodiscard]] bool take_ring_was_full() noexcept { return std::exchange(ring_was_full_, false); }

  // Takes back the credit of a returned block and, if the region is this controller's, the block. True: it was passed
  // on, and no reader of the output holds it any more; so it goes back to whoever it came from. kDataLoss: the peer
  // gave back what it did not hold.
  Result<bool> give_back(const BlockReturn& block) noexcept;
  // A control packet to one controller. False: it must read the previous one first.
  [[nodiscard]] bool control(std::uint32_t controller, PacketKind kind, std::uint64_t instance) noexcept;
  // Who is at the other end of `channel` has something to see: a packet, a block given back, a place in a ring. It is
  // woken by flush(), once for all of it: waking costs a fence even where nobody sleeps.
  void wake_later(std::uint32_t channel) noexcept;
  void flush() noexcept;

 private:
  Outputs(const Plan& plan, const Layout& layout, Wiring& wiring, LocalDelivery& local, ControllerStats& stats);
  // What a hop over an edge takes, looked up once.
  struct EdgeBook {
    bool starts_here = false;
    bool counts_payload = false;       // as in the layout
    bool payload_crc = false;          // likewise
    std::uint16_t region = 0;          // of the pool
    std::uint16_t port = 0;            // that it leads to
    std::uint32_t stage = 0;           // likewise
    std::uint32_t channel = 0;         // of the layout
    std::uint32_t edge = 0;            // in the plan
    std::uint32_t inline_bytes = 0;    // payloads of up to so many travel behind their headers
    std::uint64_t keep = 0, step = 0;  // of the firing's tag
    Sender* sender = nullptr;          // null: it ends in this controller
    BlockPool* pool = nullptr;         // of its payloads; null where it passes on others'
    EdgeCredits credits = {1, 1};
    ReplicaChoice choice = {};
    bool count = false;  // it carries no tokens but their number
    // `index`: what is added for the number of an element.
    [[nodiscard]] std::uint64_t sent_tag(std::uint64_t tag, std::uint64_t index) const noexcept {
      return (tag & keep) + step + index;
    }
    [[nodiscard]] bool takes(const FiringKey& key, std::uint64_t index) const noexcept {
      return choice.replicas == 1 || choice.takes(key.instance, sent_tag(key.tag, index));
    }
  };
  // An output port; without a pool if it passes on others' payloads.
  struct PortBook {
    BlockPool* pool = nullptr;
    std::unique_ptr<PassedBlocks> passed;  // where it passes them on to several
    std::span<std::byte> memory;           // of the region
    std::uint16_t region = 0;
    std::vector<EdgeBook*> edges, counts;
    std::uint32_t elements = 1;  // that a firing may write
    std::uint32_t index_shift = 0;
    [[nodiscard]] std::uint64_t index_of(std::uint32_t element) const noexcept {
      return std::uint64_t{element} << index_shift;
    }
  };
  void choose_bells();
  EdgeBook make_edge(std::uint32_t edge, std::uint32_t controller) const;
  PortBook make_port(std::uint32_t stage, std::uint32_t port);
  [[nodiscard]] static bool has_credits(const PortBook& port, std::uint32_t elements, const FiringKey& key,
                                        std::uint64_t oldest) noexcept;
  [[nodiscard]] bool names_region(const EdgeBook& book, const BlockReturn& block) const noexcept;
  [[nodiscard]] bool reserve(EdgeBook& book) noexcept;
  [[nodiscard]] bool take(std::span<EdgeBook* const> edges, const FiringKey& key, std::uint64_t index) noexcept;
  static void untake(std::span<EdgeBook* const> edges, const FiringKey& key, std::uint64_t index) noexcept;
  [[nodiscard]] bool claim_token(PortBook& port, std::uint32_t element, const FiringKey& key,
                                 PortClaim& claim) noexcept;
  static void abort_token(PortBook& port, std::uint32_t element, const FiringKey& key, const PortClaim& claim) noexcept;
  static void abort_first(std::span<PortBook> ports, std::size_t begun, const FiringKey& key,
                          std::span<const PortClaim> claims) noexcept;
  void forward(const EdgeBook& book, ActivationPacket& header, std::uint64_t tag,
               std::span<const std::byte> payload) noexcept;
  void put_crc(std::uint16_t region, std::span<const std::byte> payload) noexcept;
  void send(const EdgeBook& book, const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept;
  void count(const EdgeBook& book, const ActivationPacket& header) noexcept;

  const Plan& plan_;
  const Layout& layout_;
  Wiring& wiring_;
  LocalDelivery& local_;
  ControllerStats& stats_;
  std::vector<std::unique_ptr<BlockPool>> pools_;  // by region; null unless produced here
  std::vector<EdgeBook> edges_;                    // by edge
  std::vector<std::vector<PortBook>> ports_;       // [stage][output port]; none of other controllers' stages
  std::vector<std::uint32_t> bell_;                // by channel: the one whose end wakes who is at its other end
  std::vector<std::uint32_t> to_wake_;             // channels, each once
  std::vector<std::uint8_t> is_to_wake_;           // by channel
  bool ring_was_full_ = false;
};

}  // namespace woa
