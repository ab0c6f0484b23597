// Stage programs: all that a controller needs to know of a stage while it runs, computed once from the plan, the layout
// and the wiring. A packet, a match and a firing read their stage's program, and nothing of the plan
// (docs/adr/0043-stage-programs.md).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/controller/activation.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/instances.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/passed_blocks.h"
#include "runtime/controller/port_shape.h"
#include "runtime/controller/region_view.h"
#include "runtime/controller/stats.h"
#include "runtime/controller/token.h"
#include "runtime/controller/wiring.h"
#include "runtime/memory/block_pool.h"
#include "runtime/memory/credits.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/plan/plan.h"
#include "runtime/transport/shared_memory.h"

namespace woa {

// An edge into this controller that comes by a channel.
struct InEdge {
  std::uint32_t edge = 0;
  std::uint32_t channel = 0;               // that its packets come by
  std::uint32_t inline_bytes = 0;          // that its tokens may carry
  std::span<const std::uint16_t> regions;  // that its packets may name
  bool payload_crc = false;                // follows what it brings
  bool count = false;                      // it brings counts, not tokens
  std::uint32_t origin = kNoStage;         // of counts: the stage that sends them

  [[nodiscard]] bool brings(const ActivationPacket& packet) const noexcept {
    if (packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison)) return true;
    if (packet.kind == static_cast<std::uint8_t>(PacketKind::kCount)) return count && origin == packet.origin;
    if (count) return false;
    for (const std::uint16_t region : regions) {
      if (region == packet.region) return true;
    }
    return false;
  }
};

struct InPort {
  explicit InPort(const InputPortPlan& port);

  const InputPortPlan* plan;
  PortShape shape;
  bool hold, gathers;
  bool signal = false;           // of a relay: it gets numbers of elements, but no elements
  std::uint64_t number_bits;     // of the tag: the number of a gathered element, which its match leaves out
  std::uint32_t held_lists = 0;  // of HeldTokens, if it holds
  std::vector<InEdge> edges;     // that come by channels
};

using PacketWords = std::array<std::uint64_t, kPacketBytes / 8>;

// What differs from one packet of an edge to the next.
struct SentPacket : Activation {
  std::uint64_t payload_bytes = 0;
  std::uint32_t offset = 0;  // of the payload's block
  std::uint16_t region = 0;
  std::uint8_t device = 0;
  std::uint8_t flags = 0;
};

// An edge out of this controller: its books, and what a header takes from it.
struct OutEdge {
  std::uint32_t edge = 0;    // in the plan
  PacketWords header = {};   // of what it carries, as far as that is always the same; the rest is 0
  std::uint16_t region = 0;  // of the pool
  std::uint8_t memory = static_cast<std::uint8_t>(MemoryKind::kCpu);  // where its payloads lie, as packets say it
  std::uint64_t keep = 0, step = 0;                                   // of the firing's tag
  Sender* sender = nullptr;                                           // null: it ends in this controller
  PreparingSender* prepares = nullptr;                                // the same, where a device publishes its packets
  std::uint32_t channel = 0;                                          // of the layout
  std::uint32_t inline_bytes = 0;  // payloads of up to so many travel behind their headers
  bool counts_payload = false;     // as in the layout
  bool payload_crc = false;        // likewise
  bool count = false;              // it carries no tokens but their number
  bool always_taken = true;        // its reader has no replicas
  ReplicaChoice choice = {};
  EdgeStats* stats = nullptr;
  BlockPool* pool = nullptr;  // of its payloads; null where it passes on others'
  EdgeCredits credits;

  // `index`: what is added for the number of an element.
  [[nodiscard]] std::uint64_t sent_tag(std::uint64_t tag, std::uint64_t index) const noexcept {
    return (tag & keep) + step + index;
  }
  [[nodiscard]] Activation sent(const Activation& of, std::uint64_t index) const noexcept {
    return {of.instance, sent_tag(of.tag, index), of.deadline};
  }
  [[nodiscard]] bool takes(const Activation& of, std::uint64_t index) const noexcept {
    return always_taken || choice.takes(of.instance, sent_tag(of.tag, index));
  }
  // Writes the header of a packet. In whole words: one that was just written in parts is slow to read as a whole.
  [[gnu::always_inline]] void write_header(ActivationPacket& to, const SentPacket& packet) const noexcept {
    constexpr auto word = [](std::size_t field) { return field / 8; };
    constexpr auto shift = [](std::size_t field) { return 8 * (field % 8); };
    const auto put = [&to](std::size_t at, std::uint64_t value) {
      std::memcpy(reinterpret_cast<std::byte*>(&to) + 8 * at, &value, sizeof value);
    };
    using Packet = ActivationPacket;
    constexpr std::size_t kFlags = offsetof(Packet, flags), kDevice = offsetof(Packet, device),
                          kRegion = offsetof(Packet, region), kOffset = offsetof(Packet, offset);
    put(word(kFlags), header[word(kFlags)] | std::uint64_t{packet.flags} << shift(kFlags));
    put(word(offsetof(Packet, instance)), packet.instance);
    put(word(offsetof(Packet, tag)), packet.tag);
    put(word(offsetof(Packet, deadline)), packet.deadline);
    put(word(offsetof(Packet, stage)), header[word(offsetof(Packet, stage))]);
    put(word(kDevice), std::uint64_t{packet.device} << shift(kDevice) | std::uint64_t{packet.region} << shift(kRegion));
    put(word(offsetof(Packet, payload_bytes)), packet.payload_bytes);
    put(word(kOffset), std::uint64_t{packet.offset} << shift(kOffset));
  }
  // Poison as this edge's reader gets it.
  [[nodiscard]] ActivationPacket addressed(ActivationPacket poison) const noexcept {
    const auto own = std::bit_cast<ActivationPacket>(header);
    poison.stage = own.stage;
    poison.port = own.port;
    return poison;
  }
  void count_packet(const ActivationPacket& packet) const noexcept {
    ++stats->messages;
    const bool token = packet.kind == static_cast<std::uint8_t>(PacketKind::kActivate);
    if (token && counts_payload) stats->payload_bytes += packet.payload_bytes;
  }
  // A place for a packet in its ring, and giving it back. kBackPressured: try again; kClosed: nobody will ever read it.
  [[nodiscard]] Push reserve() noexcept { return sender == nullptr ? Push::kOk : sender->reserve(); }
  void cancel() noexcept {
    if (sender != nullptr) sender->cancel();
  }
  // Both a credit and a place, which a firing took and does not use.
  void untake(std::uint64_t instance) noexcept {
    (void)credits.give(instance);  // taken by this very firing: cannot fail
    cancel();
  }
};

// Rule 3: the turn of a loop that an output's edges may take.
struct LoopLimit {
  const LoopPlan* loop;
  std::uint32_t shift;
  std::uint64_t mask, max;
  [[nodiscard]] std::uint64_t turn(std::uint64_t tag) const noexcept { return (tag >> shift) & mask; }
  [[nodiscard]] bool allows(std::uint64_t tag) const noexcept { return turn(tag) < max; }
};

// An output port. Without a pool it passes on others' payloads.
struct OutPort {
  explicit OutPort(const OutputPortPlan& port);

  const OutputPortPlan* plan;
  PortShape shape;
  bool optional, scatters, in_group;     // in_group: of a one_of group
  std::uint32_t elements;                // that a firing may write; 1 if it does not scatter
  std::uint32_t index_shift;             // of an element's number
  std::int32_t passed_input = -1;        // whose payloads it passes on
  BlockPool* pool = nullptr;             // of its region
  BlockPool* commit_pool = nullptr;      // likewise, if a block gets its readers when its token is sent
  std::unique_ptr<PassedBlocks> passed;  // where it passes them on to several
  std::span<std::byte> memory;           // of the region
  std::uint16_t region = 0;
  bool in_device = false;            // its region is,
  bool is_copied = false;            // and host memory has a copy
  std::span<OutEdge> edges, counts;  // of its stage's out_edges
  // Of `edges`: whose packets the host sends when the firing completes; whose packets it prepares before the start.
  std::span<OutEdge> sent, prepared;
  bool all_take = true;  // every edge takes every token
  std::vector<LoopLimit> loops;

  [[nodiscard]] std::uint64_t index_of(std::uint32_t element) const noexcept {
    return std::uint64_t{element} << index_shift;
  }
  [[nodiscard]] std::byte* block(std::uint32_t offset) const noexcept {
    return memory.data() + std::size_t{offset} * kOffsetUnitBytes;
  }
  // The first edge that leaves the controller, or else the first: what a device copies into host memory counts there.
  [[nodiscard]] const OutEdge& copied_for() const noexcept {
    const auto leaves = [](const OutEdge& edge) { return edge.sender != nullptr; };
    const auto at = std::ranges::find_if(edges, leaves);
    return at == edges.end() ? edges.front() : *at;
  }
  // How many edges take the token.
  [[nodiscard]] std::uint32_t takers(const Activation& of, std::uint64_t index) const noexcept {
    std::uint32_t count = static_cast<std::uint32_t>(edges.size());
    if (all_take) return count;
    for (const OutEdge& edge : edges) count -= edge.takes(of, index) ? 0U : 1U;
    return count;
  }
};

// Dimensions of an output and of an input to which kernel.yaml gives one name: both have one extent.
struct Tie {
  std::uint32_t output = 0, output_dim = 0, input = 0, input_dim = 0;
};

struct StageProgram {
  std::uint32_t id = 0;
  bool local = false;  // a stage of this controller; the rest is empty if not
  StageRole role = StageRole::kKernel;
  Stateful stateful = Stateful::kNo;
  std::uint32_t* under_way = nullptr;  // of a serial kernel: its firings on workers, of all its stages here
  bool in_turn = false;                // it keeps state, or is serial
  // The short way: a match is one token, which may start as it comes; `consumed` is its port.
  bool short_way = false;
  std::uint32_t consumed = 0;
  // Nothing special about its ports: none scatters, gathers, passes payloads on or has signals, each edge takes all,
  // and the host writes the headers and publishes. What always runs skips the questions.
  bool plain = false;
  bool holds = false;           // some input is held
  bool renews = false;          // a later turn's token takes the place of one that is held
  bool gathers = false;         // some input takes all elements of a scatter
  bool device_headers = false;  // the device writes the headers of what it sends
  bool device_memory = false;   // payloads of its ports may lie in the device
  bool may_order = false;       // each output is written by every firing, once and in memory of its own
  bool prepares = false;        // its device publishes packets on some edge
  // Of a stage in a scatter that keeps state of an instance: the bits of the tag that number elements, which it must
  // take one after the other. Of all others 0.
  std::uint64_t number = 0;
  std::uint32_t claims = 0;  // of a firing: one of each output port, of a scatter's one of each element
  const StagePlan* plan = nullptr;
  StageStats* stats = nullptr;
  std::vector<InPort> inputs;
  std::vector<OutPort> outputs;
  std::vector<OutEdge> out_edges;                  // of all ports
  std::vector<std::vector<std::uint32_t>> groups;  // one_of: of each a firing writes exactly one port (rule 2)
  std::vector<Tie> ties;
  StageInstances instances;
  // The stage that the device runs behind this one (EdgePlan::on_card), the edge between them, and the last of these:
  // itself if there is none. A firing claims and sends the outputs of `last`. No token comes for the stages behind.
  StageProgram* behind = nullptr;
  std::uint32_t on_card = kNone;
  StageProgram* last = nullptr;
  bool is_behind = false;
  std::uint64_t started = 0;      // firings
  std::uint64_t timed_until = 0;  // the firings before this one are timed, or another stands for them
  // Its firings are brief and run in the controller's thread; or long, as at first. The sums decide, where there are
  // workers.
  bool in_call = false, is_long = true;  // until it is measured; one that may run here is tried here
  bool is_apart = false;                 // none ever runs in the controller's thread
  std::uint64_t recent_ns = 0, recent_firings = 0, mean_ns = 0;
};

// Everything outlives the programs.
struct ProgramSetup {
  const Plan* plan = nullptr;
  const Layout* layout = nullptr;
  std::uint32_t controller = 0;
  std::span<const LoadedStage> stages;
  Wiring* wiring = nullptr;
  ControllerStats* stats = nullptr;
  bool general_way = false;  // no stage takes the short way
};

// The programs of one controller's stages, and what they share. One thread; no allocation after make().
class StagePrograms {
 public:
  // kTooLarge: a region beyond 256 GiB. kExhausted: no memory for a stage's state.
  static Result<std::unique_ptr<StagePrograms>> make(const ProgramSetup& setup);

  [[nodiscard]] StageProgram& operator[](std::uint32_t stage) noexcept { return stages_[stage]; }
  [[nodiscard]] const StageProgram& operator[](std::uint32_t stage) const noexcept { return stages_[stage]; }
  [[nodiscard]] std::span<StageProgram> all() noexcept { return stages_; }
  [[nodiscard]] const RegionView& region(std::uint16_t region) const noexcept { return regions_[region]; }
  // Where payloads of the region lie, as packets say it.
  [[nodiscard]] std::uint8_t memory_of(std::uint16_t region) const noexcept {
    return static_cast<std::uint8_t>(regions_[region].memory());
  }
  // The books of an edge that begins here; else null.
  [[nodiscard]] OutEdge* out_edge(std::uint32_t edge) noexcept {
    return edge < out_edges_.size() ? out_edges_[edge] : nullptr;
  }
  // The edge that an activation, a count or poison on `channel` came by; null if the plan has none such. With an edge,
  // an activation's region exists.
  [[nodiscard]] const InEdge* in_edge(std::uint32_t channel, const ActivationPacket& packet) const noexcept {
    if (packet.stage >= stages_.size() || packet.port >= stages_[packet.stage].inputs.size()) return nullptr;
    for (const InEdge& edge : stages_[packet.stage].inputs[packet.port].edges) {
      if (edge.channel == channel && edge.brings(packet)) return &edge;
    }
    return nullptr;
  }
  // The payload that a token brings, behind its header or in its block.
  [[nodiscard, gnu::always_inline]] std::span<const std::byte> payload(const Token& token) const noexcept {
    return token.is_inline() ? token.inline_payload : region(token.header.region).payload(token.header);
  }

 private:
  explicit StagePrograms(const ProgramSetup& setup);
  Status make_pools(const ProgramSetup& setup);
  void make_stage(const ProgramSetup& setup, std::uint32_t stage);
  void make_inputs(const ProgramSetup& setup, StageProgram& program);
  void make_outputs(const ProgramSetup& setup, StageProgram& program);
  void find_blocks(const ProgramSetup& setup, std::uint32_t stage, OutPort& port, std::size_t number);
  OutEdge make_edge(const ProgramSetup& setup, std::uint32_t number);
  void number_elements(const Plan& plan);
  void join_on_card(const Plan& plan);

  std::vector<StageProgram> stages_;  // by number in the plan
  std::vector<RegionView> regions_;
  std::vector<std::unique_ptr<BlockPool>> pools_;  // by region; null unless produced here
  std::vector<OutEdge*> out_edges_;                // by edge of the plan
  std::map<std::string, std::uint32_t> serial_;    // by kernel: firings on workers
};

}  // namespace woa
