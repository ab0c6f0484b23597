// A controller: owns one device, receives packets, matches tokens, fires kernels, forwards results
// (docs/graph-language.md, rules 1 to 10).
//
// A duty cycle that never blocks on anything but its own kernel: somebody calls do_work() again and again and decides
// how to idle in between (runtime/transport/idle.h). The same code drives every device; what differs is the Backend.
//
// The parts have a job each: Arrivals checks packets, Matching finds what may fire, Firings starts and completes,
// Claims reserves blocks, credits and places, Sending writes headers, Publications prepares what a device publishes,
// BlockReturns brings blocks back, Poison spreads failures. docs/architecture.md shows the way of one activation
// through them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/activity.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/poison.h"
#include "runtime/controller/stats.h"
#include "runtime/controller/token.h"
#include "runtime/controller/wiring.h"
#include "runtime/memory/by_instance.h"

namespace woa {

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
  bool general_way = false;              // for tests: every token goes by way of the match table
};

struct Consumed;
struct InPort;
struct MatchKey;
struct StageProgram;
struct StageInstance;
enum class Fired : std::uint8_t;

class Controller final {
 public:
  // kTooLarge: an output's blocks do not fit a region. kExhausted: no memory for a stage's state.
  static Result<std::unique_ptr<Controller>> make(ControllerSetup setup);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // One duty cycle: receive, match, fire, forward. Returns how much it did; 0 means that nothing was there. One thread.
  std::size_t do_work() noexcept;

  // The rings that let this controller go on after a duty cycle that did nothing: those for work; or for room, too, if
  // something waits for it, here or at a controller whose blocks this one passes on.
  [[nodiscard]] Doorbell::For awaits() noexcept;
  // Why the run cannot go on (a packet lost, repeated, damaged or out of place); ok until then. Nothing is done after
  // it.
  [[nodiscard]] const Status& status() const noexcept;
  // The host said that the run is over: every instance is complete. Firings of poisoned ones may still be running.
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  // Firings run, or wait to run, on workers of the back-end's.
  [[nodiscard]] bool workers_run() const noexcept;
  void note_sleep() noexcept;  // of the thread that calls do_work()
  // After the end: completes the firings that are over, which a device may say after it has published their packets.
  // True if some still run.
  bool complete_last() noexcept;
  [[nodiscard]] const ControllerStats& stats() const noexcept { return stats_; }
  [[nodiscard]] std::span<const TraceEvent> trace() const noexcept;
  // Puts how its thread has waited into the stats.
  void note_end(const WaitCounts& waits) noexcept {
    stats_.waits = waits;
    stats_.workers = setup_.backend->description().workers;
  }

  // Host only. Starts an instance at the source: a later duty cycle asks the back-end for its inputs.
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
  // Instances whose source has not fired, the oldest first. No more than a window has.
  class Admitted {
   public:
    Admitted() = default;
    explicit Admitted(std::uint32_t window) : places_(window) {}
    [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
    [[nodiscard]] const Activation& front() const noexcept { return places_[first_]; }
    void push(const Activation& instance) noexcept { places_[end_++] = instance; }
    void pop() noexcept { ++first_; }

   private:
    ByInstance<Activation> places_;
    std::uint64_t first_ = 0, end_ = 0;
  };
  class ChannelSink;
  struct Parts;

  explicit Controller(ControllerSetup setup);
  std::size_t poll_channels() noexcept;
  void check_channels() noexcept;
  bool on_packet(std::uint32_t channel, const ActivationPacket& packet,
                 std::span<const std::byte> inline_payload) noexcept;
  std::size_t drain_local() noexcept;
  bool on_token(const Token& token) noexcept;
  [[nodiscard]] bool is_second(const StageProgram& stage, const StageInstance& entry, std::uint64_t tag) const noexcept;
  void refuse_second(const StageProgram& stage, const Token& token) noexcept;
  void store(StageProgram& stage, const InPort& port, const Token& token) noexcept;
  Fired fire_match(std::uint32_t match) noexcept;
  Fired fire(StageProgram& stage, StageInstance& entry, const MatchKey& match, const Consumed& consumed) noexcept;
  void tell_late(const StageProgram& stage, const MatchKey& match) noexcept;
  std::size_t fire_ready() noexcept;
  std::size_t fire_admitted() noexcept;
  void learn_oldest(std::uint64_t oldest) noexcept;

  ControllerSetup setup_;
  const Plan& plan_;
  ControllerStats stats_;
  bool ended_ = false;
  std::uint32_t cycles_ = 0;            // duty cycles, modulo 2^32
  std::uint32_t ready_for_ = 0;         // thorough cycles in a row in which matches were ready, modulo 2^32
  std::uint32_t allowance_ = 0;         // short firings left in this duty cycle
  std::uint64_t oldest_ = 0;            // in flight, as far as this controller knows
  std::uint64_t published_oldest_ = 0;  // host: to be told to the others
  Admitted admitted_;                   // the host's
  std::unique_ptr<Parts> parts_;
  std::vector<ChannelSink> origins_;  // channels in
  std::size_t next_origin_ = 0;       // polled first in the next duty cycle
};

}  // namespace woa
