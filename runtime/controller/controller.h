// A controller: owns one device, receives packets, matches tokens, fires kernels, forwards results
// (docs/graph-language.md, rules 1 to 10).
//
// A duty cycle that never blocks on anything but its own kernel: somebody calls do_work() again and again and decides
// how to idle in between (runtime/transport/idle.h). The same code drives every device; what differs is the Backend.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/activity.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/match_table.h"
#include "runtime/controller/outputs.h"
#include "runtime/controller/stage_table.h"
#include "runtime/controller/stats.h"

namespace woa {

// Who hears that an instance was poisoned at the sink (the host). Called on the controller's thread.
class InstanceObserver {
 public:
  virtual ~InstanceObserver() = default;
  // The first poison of `instance` to reach the sink. `origin`: the stage that failed, kNoStage for the run itself.
  virtual void on_poisoned(std::uint64_t instance, Code code, std::uint32_t origin,
                           std::string_view message) noexcept = 0;
};

struct ControllerSetup {
  const Plan* plan = nullptr;  // validated; outlives the controller, as do layout, observer and the stages' kernels
  const Layout* layout = nullptr;
  std::uint32_t id = 0;             // in the plan
  Backend* backend = nullptr;       // loaded; must go before the controller, whose firings it may still be running
  std::vector<LoadedStage> stages;  // kernels of this controller's stages
  Wiring wiring;
  InstanceObserver* observer = nullptr;  // host only
  std::uint64_t trace_limit = 0;         // events kept for a trace; later ones are only counted; 0: no trace
  Activity activity = {};                // activity_slots() of them, kept up to date; empty: nobody reads them
};

class Controller final : private LocalDelivery {
 public:
  // kTooLarge: an output's blocks do not fit a region.
  static Result<std::unique_ptr<Controller>> make(ControllerSetup setup);
  ~Controller() override;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // One duty cycle: receive, match, fire, forward. Returns how much it did; 0 means that nothing was there. One thread.
  std::size_t do_work() noexcept;

  // Why the run cannot go on (a packet lost, repeated, damaged or out of place); ok until then. Nothing is done after
  // it.
  [[nodiscard]] const Status& status() const noexcept { return fatal_; }
  // The host said that the run is over: every instance is complete. Firings of poisoned ones may still be running.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] const ControllerStats& stats() const noexcept { return stats_; }
  [[nodiscard]] std::span<const TraceEvent> trace() const noexcept { return trace_; }

  // Host only. Starts an instance at the source: its firing asks the backend for the inputs.
  void admit(std::uint64_t instance, std::uint64_t deadline);
  // Host only. Fails an instance at the sink, as poison would (its deadline passed, a peer was lost).
  // `origin`: the stage that is to blame, kNoStage for the run itself.
  void fail_at_sink(std::uint64_t instance, Code code, std::uint32_t origin, std::string_view message) noexcept;
  // Host only. Everything older than `oldest` is over: told to all controllers, as soon as they read the previous news.
  void retire(std::uint64_t oldest) noexcept;
  // Host only. Every controller ends when it has read this, whatever else comes. False while a channel has no place for
  // it: call do_work() and try again.
  [[nodiscard]] bool end() noexcept;

 private:
  // Region of a token that was passed on: the block is no longer its to give back; and of what has no block.
  static constexpr std::uint16_t kPassedOn = 0xffff;
  class ChannelSink;
  struct ActiveFiring;
  struct LocalPacket {
    std::uint32_t edge;
    ActivationPacket packet;
    std::array<std::byte, kPoisonMessageBytes> message;
    [[nodiscard]] bool is_poison() const noexcept {
      return packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
    }
  };
  // What a stage knows of one instance in flight; position instance mod kMaxWindow.
  struct StageInstance {
    std::uint64_t instance = ~std::uint64_t{0};
    bool dead = false;  // poisoned here (rule 6)
    bool has_state = false;
    bool fired = false;
    std::uint32_t running = 0;   // firings not completed
    std::uint64_t last_tag = 0;  // of a stateful stage's last firing
  };
  struct StageBook {
    std::uint64_t started = 0;      // firings
    std::uint64_t timed_until = 0;  // the firings before this one are timed, or another stands for them
    const LoadedStage* loaded = nullptr;
    std::vector<StageInstance> instances;
    std::vector<std::max_align_t> state;  // kMaxWindow states, or one for `stateful: run`
    std::size_t state_stride = 0;         // in units of the vector's element
    std::uint64_t next_instance = 0;      // of a `stateful: run` stage
    bool run_state_busy = false, run_state_made = false;
  };
  // To be sent as soon as the rings have a place for it: over one edge, or by a device that writes its own headers
  // over all edges of the stage.
  struct Poison {
    std::uint32_t stage, edge;  // edge: kNone for a device
    ActivationPacket header;
    std::string message;
  };

  explicit Controller(ControllerSetup setup);
  void make_firings(std::size_t firings);
  std::size_t poll_channels() noexcept;
  void check_channels() noexcept;
  std::size_t tell_oldest() noexcept;
  const StagePlan& stage(std::uint32_t id) const noexcept { return plan_.stages[id]; }

  // receive.cc: packets in
  void deliver(std::uint32_t edge, const ActivationPacket& packet,
               std::span<const std::byte> inline_payload) noexcept override;
  std::size_t drain_local() noexcept;
  void drop_retired_poison() noexcept;
  bool on_packet(std::uint32_t channel, const ActivationPacket& packet,
                 std::span<const std::byte> inline_payload) noexcept;
  // payload_check.cc
  [[nodiscard]] Status check_payload(std::uint32_t channel, std::uint32_t edge, const ActivationPacket& packet,
                                     std::span<const std::byte> inline_payload) const noexcept;
  static std::span<const std::byte> without_crc(const ActivationPacket& packet,
                                                std::span<const std::byte> inline_payload) noexcept;
  static ActivationPacket without_crc(const ActivationPacket& packet) noexcept;
  bool on_token(std::uint32_t edge, const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept;
  std::span<const std::byte> payload_of(const Token& token) const noexcept;
  bool on_poison(const ActivationPacket& packet, std::span<const std::byte> message) noexcept;
  void ready_by_held(std::uint32_t stage, std::uint64_t instance) noexcept;
  bool is_second(const StageInstance& entry, const ActivationPacket& packet) const noexcept;
  void drop(const Token& token) noexcept;
  void release(const Token& token) noexcept;
  void return_block(const BlockReturn& block) noexcept;
  void take_back(std::uint32_t from, const BlockReturn& block) noexcept;
  bool carries(std::uint32_t channel, const BlockReturn& block) const noexcept;
  void take_returns(std::uint32_t channel, std::span<const BlockReturn> blocks) noexcept;
  std::size_t poll_returns() noexcept;

  // instances.cc: what becomes of an instance at a stage
  StageInstance* instance_at(std::uint32_t stage, std::uint64_t instance) noexcept;
  void learn_oldest(std::uint64_t oldest) noexcept;
  void retire_instances() noexcept;
  void drop_state(std::uint32_t stage, StageInstance& entry) noexcept;
  void* state_of(std::uint32_t stage, StageInstance& entry) noexcept;
  void kill_stage(std::uint32_t stage, std::uint64_t instance, Code code, std::uint32_t origin,
                  std::string_view message) noexcept;
  void mark_dead(std::uint32_t stage, StageInstance& entry) noexcept;
  void drop_match(std::uint32_t match) noexcept;
  void drop_held(std::uint32_t stage, std::uint64_t instance) noexcept;

  // fire.cc: from complete match to committed outputs
  void make_ready(std::uint32_t match) noexcept;
  bool waits_for_elements(const MatchKey& match) const noexcept;
  void make_next_ready(const ActiveFiring& firing) noexcept;
  std::size_t start_ready() noexcept;
  enum class Start : std::uint8_t { kStarted, kNotYet, kGone, kBusy };
  Start try_start(const MatchKey& match, StageInstance& entry, std::span<const Token> tokens,
                  std::uint32_t place) noexcept;
  Start relay(const MatchKey& match, std::span<const Token> tokens, std::uint32_t place) noexcept;
  void pass_on(const MatchKey& match, std::uint32_t port, std::span<const Token> tokens, std::uint32_t place) noexcept;
  [[nodiscard]] bool gather(ActiveFiring& firing, const MatchKey& match, std::uint32_t place) noexcept;
  void fill_outputs(ActiveFiring& firing, const MatchKey& match) noexcept;
  bool in_order(const MatchKey& match, StageInstance& entry) noexcept;
  [[nodiscard]] bool takes_little_time(std::uint32_t stage) const noexcept;  // as measured so far
  void decide_timing(ActiveFiring& firing) noexcept;
  void fill(ActiveFiring& firing, const MatchKey& match, StageInstance& entry, std::span<const Token> tokens) noexcept;
  std::size_t send_poisons() noexcept;
  bool send_poison(Poison& poison) noexcept;
  bool start_device_poison(Poison& poison) noexcept;
  std::size_t poll_backend() noexcept;
  void complete(ActiveFiring& firing) noexcept;
  Status check_outputs(const ActiveFiring& firing) const;
  void commit_outputs(ActiveFiring& firing) noexcept;
  void commit_elements(ActiveFiring& firing, std::uint32_t port, std::size_t claim, ActivationPacket& header) noexcept;
  void commit_device_poison(ActiveFiring& firing) noexcept;
  void finish(ActiveFiring& firing) noexcept;
  void count_firing(const ActiveFiring& firing) noexcept;
  Status check_loops(std::uint32_t stage, std::uint32_t port, std::uint64_t tag) const;
  void free_firing(ActiveFiring& firing) noexcept;
  void add_trace(TraceEvent event);
  void trace_writes(const ActiveFiring& firing, std::uint32_t port, std::uint32_t element, std::uint64_t bytes);
  void trace_write(const ActiveFiring& firing, std::uint32_t edge, std::uint64_t bytes);
  void trace_firing(const ActiveFiring& firing);
  void fail_run(Status status) noexcept;

  ControllerSetup setup_;
  const Plan& plan_;
  const Layout& layout_;
  const std::uint32_t self_;
  Backend& backend_;
  const bool device_forwards_;
  bool passes_on_ = false;  // has outputs that pass others' blocks on
  Status fatal_;
  bool ended_ = false;
  std::uint32_t cycles_ = 0;                // duty cycles, modulo 2^32
  std::uint64_t oldest_ = 0;                // in flight, as far as this controller knows
  std::uint64_t published_oldest_ = 0;      // host: to be told to the others
  std::vector<std::uint64_t> told_oldest_;  // host: by controller
  std::vector<bool> told_end_;              // host: by controller
  ControllerStats stats_;
  std::vector<TraceEvent> trace_;
  StageTable table_;
  MatchTable matches_;
  std::unique_ptr<Outputs> outputs_;
  std::vector<StageBook> books_;      // by stage
  std::vector<std::uint32_t> ready_;  // complete matches that wait for no element, oldest instance first
  bool retry_ready_ = false;          // something changed that may let a ready match start
  std::vector<std::unique_ptr<ActiveFiring>> firings_;
  std::vector<ActiveFiring*> free_firings_;
  std::vector<Firing*> done_;               // scratch of poll_backend
  std::array<BlockReturn, 32> returned_{};  // scratch of poll_returns
  std::vector<Poison> poisons_;
  std::vector<LocalPacket> local_;  // ring of packets to stages of this controller
  std::size_t local_head_ = 0, local_count_ = 0;
  std::vector<ChannelSink> origins_;         // channels in
  std::vector<std::uint32_t> destinations_;  // channels out
};

}  // namespace woa
