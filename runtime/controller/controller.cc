#include "runtime/controller/controller.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/controller/arrivals.h"
#include "runtime/controller/bells.h"
#include "runtime/controller/block_returns.h"
#include "runtime/controller/claims.h"
#include "runtime/controller/firings.h"
#include "runtime/controller/local_queue.h"
#include "runtime/controller/matching.h"
#include "runtime/controller/news.h"
#include "runtime/controller/relays.h"
#include "runtime/controller/room_requests.h"
#include "runtime/controller/sending.h"
#include "runtime/controller/stage_program.h"
#include "runtime/controller/tag_text.h"
#include "runtime/controller/trace.h"

namespace woa {
namespace {

constexpr std::size_t kPollBatch = 64;  // packets of one channel per duty cycle, so that none starves another
// Firings of short kernels between two looks at the channels. Half of them may be of tokens that channels brought, so
// that neither these nor a loop inside the controller starve the others.
constexpr std::uint32_t kMostAtOnce = 16;
// Rare checks run in every 16th cycle: each takes a cache line that another core writes.
constexpr std::uint32_t kThoroughEvery = 16;
// A controller says that it waits for room when it goes to sleep. A loop inside it may keep it awake: then it says so
// after so many thorough cycles with matches that are ready, more than fit the time that it spins.
constexpr std::uint32_t kReadyBeforeTold = 32;

std::size_t most_local_packets(const Plan& plan, const Layout& layout, std::uint32_t controller) {
  std::size_t packets = 1;
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const EdgeLayout& edge = layout.edges[e];
    if (edge.to == controller && !edge.crosses()) packets += plan.edges[e].blocks + plan.window;
  }
  return packets;
}

}  // namespace

// A channel in; tells the controller which.
class Controller::ChannelSink final : public PacketSink {
 public:
  ChannelSink(Controller& controller, std::uint32_t channel, Receiver& receiver)
      : controller_(controller), receiver_(receiver), channel_(channel) {}
  std::size_t poll() noexcept { return receiver_.poll(*this, kPollBatch); }
  [[nodiscard]] std::uint32_t channel() const noexcept { return channel_; }
  [[nodiscard]] Status status() const { return receiver_.status(); }
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override {
    return controller_.on_packet(channel_, packet, inline_payload);
  }

 private:
  Controller& controller_;
  Receiver& receiver_;
  std::uint32_t channel_;
};

// In the order in which they depend on each other.
struct Controller::Parts {
  Parts(Controller& self, std::unique_ptr<StagePrograms> stage_programs)
      : programs(std::move(stage_programs)),
        trace(self.setup_.trace_limit, self.stats_),
        bells(*self.setup_.layout, self.setup_.wiring),
        local(most_local_packets(self.plan_, *self.setup_.layout, self.setup_.id)),
        arrivals(self.plan_, *self.setup_.layout, *programs, self.oldest_),
        claims(self.oldest_),
        sending(*programs, *self.setup_.layout, self.setup_.wiring, local, bells, self.stats_, failure, self.oldest_),
        publications(bells),
        returns(self.plan_, *self.setup_.layout, self.setup_.id, *programs, self.setup_.wiring, bells, self.stats_,
                failure),
        matching(self.plan_, *self.setup_.layout, self.setup_.id, *programs, returns),
        poison(*programs, matching, sending, self.stats_, self.setup_.observer, self.oldest_),
        firings({self.plan_, *self.setup_.layout, self.setup_.id, *self.setup_.backend, *programs, matching, claims,
                 sending, publications, returns, poison, trace, self.stats_, failure, local, self.oldest_},
                self.setup_.activity),
        relays(*programs, matching, claims, sending, returns, trace),
        requests(self.plan_, *self.setup_.layout, self.setup_.id, self.setup_.wiring),
        news(self.plan_, *self.setup_.layout, self.setup_.wiring, bells, self.stats_) {
    const auto is_here = [&](const EdgePlan& edge) {
      return self.plan_.stages[edge.from_stage].controller == self.setup_.id;
    };
    poison.reserve(static_cast<std::size_t>(std::ranges::count_if(self.plan_.edges, is_here)) * self.plan_.window);
  }

  std::unique_ptr<StagePrograms> programs;
  RunFailure failure;
  Trace trace;
  Bells bells;
  LocalQueue local;
  Arrivals arrivals;
  Claims claims;
  Sending sending;
  Publications publications;
  BlockReturns returns;
  Matching matching;
  Poison poison;
  Firings firings;
  Relays relays;
  RoomRequests requests;
  News news;  // the host's
};

Result<std::unique_ptr<Controller>> Controller::make(ControllerSetup setup) {
  std::unique_ptr<Controller> controller(new Controller(std::move(setup)));
  ControllerSetup& own = controller->setup_;
  auto programs = StagePrograms::make(
      {own.plan, own.layout, own.id, own.stages, &own.wiring, &controller->stats_, own.general_way});
  if (!programs.ok()) return programs.status();
  controller->parts_ = std::make_unique<Parts>(*controller, std::move(*programs));
  return controller;
}

Controller::Controller(ControllerSetup setup) : setup_(std::move(setup)), plan_(*setup_.plan) {
  stats_.edges.resize(plan_.edges.size());
  stats_.stages.resize(plan_.stages.size());
  if (setup_.id == kHostController) admitted_ = Admitted(plan_.window);
  for (std::uint32_t c = 0; c < setup_.layout->channels.size(); ++c) {
    if (setup_.wiring.receivers[c] != nullptr) origins_.emplace_back(*this, c, *setup_.wiring.receivers[c]);
  }
}

Controller::~Controller() = default;

const Status& Controller::status() const noexcept { return parts_->failure.status(); }

std::span<const TraceEvent> Controller::trace() const noexcept { return parts_->trace.events(); }

std::size_t Controller::do_work() noexcept {
  Parts& parts = *parts_;
  if (parts.failure.any() || ended_) return 0;
  const bool thorough = ++cycles_ % kThoroughEvery == 0;
  allowance_ = kMostAtOnce / 2;
  std::size_t done = poll_channels();
  // Blocks that came back matter to who waits for one: a match of this controller, or the writer of what it passed on.
  if (thorough || parts.returns.passes_on() || !parts.matching.ready().empty() || !admitted_.empty())
    done += parts.returns.poll();
  if (thorough) {
    check_channels();
    ready_for_ = parts.matching.ready().empty() ? 0 : ready_for_ + 1;
    if (ready_for_ == kReadyBeforeTold) parts.requests.tell(true);
  }
  if (const std::size_t completed = parts.firings.poll(); completed > 0) {
    done += completed;
    parts.bells.ring();  // the next kernel may take long
  }
  if (parts.claims.take_ring_was_full() || parts.returns.take_changed()) parts.matching.look_again();
  allowance_ += kMostAtOnce / 2;
  done += drain_local();
  done += parts.poison.send(parts.firings.device_poison());  // after a failure, too: it names what had failed before
  if (parts.matching.take_look_again() && !parts.matching.ready().empty()) done += fire_ready();
  if (!admitted_.empty()) done += fire_admitted();
  done += parts.firings.poll();
  if (setup_.id == kHostController) done += parts.news.tell_oldest(published_oldest_);
  parts.bells.ring();
  return done;
}

Doorbell::For Controller::awaits() noexcept {
  Parts& parts = *parts_;
  const bool room =
      !parts.matching.ready().empty() || !admitted_.empty() || parts.poison.waits() || parts.requests.any();
  parts.requests.tell(room);
  if (parts.firings.keep_workers_busy()) return Doorbell::kHelpers;
  return room || parts.news.waits(published_oldest_) ? Doorbell::kWorkOrRoom : Doorbell::kWork;
}

bool Controller::workers_run() const noexcept { return parts_->firings.workers_run(); }

void Controller::note_sleep() noexcept { parts_->firings.note_sleep(); }

bool Controller::complete_last() noexcept {
  parts_->firings.poll();
  return parts_->firings.any_running();
}

std::size_t Controller::poll_channels() noexcept {
  std::size_t done = 0;
  next_origin_ = next_origin_ + 1 < origins_.size() ? next_origin_ + 1 : 0;
  for (std::size_t k = 0, at = next_origin_; k < origins_.size(); ++k) {
    ChannelSink& origin = origins_[at];
    at = at + 1 < origins_.size() ? at + 1 : 0;
    const std::size_t packets = origin.poll();
    if (packets > 0) parts_->bells.ring_later(origin.channel());  // it may wait for a place in the ring
    done += packets;
  }
  return done;
}

void Controller::check_channels() noexcept {
  for (const ChannelSink& origin : origins_) {
    if (Status status = origin.status(); !status.ok())
      parts_->failure.set(status.with_context(
          "channel from '" + plan_.controllers[setup_.layout->channels[origin.channel()].from].name + "'"));
  }
  for (std::uint32_t c = 0; c < setup_.wiring.senders.size(); ++c) {
    if (setup_.wiring.senders[c] == nullptr) continue;
    if (Status status = setup_.wiring.senders[c]->status(); !status.ok())
      parts_->failure.set(
          status.with_context("channel to '" + plan_.controllers[setup_.layout->channels[c].to].name + "'"));
  }
}

[[gnu::always_inline]] inline Fired Controller::fire(StageProgram& stage, StageInstance& entry, const MatchKey& match,
                                                     const Consumed& consumed) noexcept {
  if (is_late(match.deadline, now_ns)) {
    tell_late(stage, match);
    return Fired::kGone;
  }
  const Fired fired = stage.role == StageRole::kRelay ? parts_->relays.fire(stage, match, consumed)
                                                      : parts_->firings.fire(stage, entry, match, consumed);
  if (fired != Fired::kStarted) return fired;
  // After a long one the channels come first.
  allowance_ = parts_->firings.was_brief(stage) ? allowance_ - std::min(allowance_, 1U) : 0;
  return fired;
}

// True if a firing has taken a token of that tag. What was consumed is forgotten, but for the firings that run and the
// last: enough outside loops, where an instance fires once.
[[gnu::always_inline]] inline bool Controller::is_second(const StageProgram& stage, const StageInstance& entry,
                                                         std::uint64_t tag) const noexcept {
  return entry.last_tag == tag || (entry.running > 0 && parts_->firings.is_running(stage, entry.instance, tag));
}

// False: its place is still taken by a firing of an instance that has retired, or this duty cycle fired enough; the
// packet must come again.
bool Controller::on_token(const Token& token) noexcept {
  Parts& parts = *parts_;
  StageProgram& stage = (*parts.programs)[token.header.stage];
  if (token.header.instance < oldest_) {
    parts.returns.drop(token);
    return true;
  }
  StageInstance* const entry = stage.instances.find(token.header.instance);
  if (entry == nullptr) return false;
  if (entry->dead) {
    parts.returns.drop(token);
    return true;
  }
  const InPort& port = stage.inputs[token.header.port];
  if (!port.hold && entry->fired && is_second(stage, *entry, token.header.tag & ~port.number_bits)) {
    refuse_second(stage, token);
    return true;
  }
  // Nothing to wait for, and nobody waits. What another channel brings in this cycle may be older: it fires next.
  if (stage.short_way && !port.hold && parts.matching.ready().empty()) {
    if (allowance_ == 0) {
      parts.firings.note_waiting();
      return false;
    }
    const MatchKey match{activation_of(token.header), stage.id};
    const Fired fired = fire(stage, *entry, match, {{&token, 1}, stage.consumed, kNone});
    if (fired == Fired::kGone) parts.returns.drop(token);
    if (fired == Fired::kStarted) parts.firings.complete_ran();
    if (fired == Fired::kGone || fired == Fired::kStarted) return true;
  }
  store(stage, port, token);
  return true;
}

bool Controller::on_packet(std::uint32_t channel, const ActivationPacket& packet,
                           std::span<const std::byte> inline_payload) noexcept {
  Parts& parts = *parts_;
  if (parts.failure.any()) return false;
  const bool is_token = packet.kind == static_cast<std::uint8_t>(PacketKind::kActivate);
  if (!is_token && parts.arrivals.is_news(channel, packet)) {
    if (packet.kind == static_cast<std::uint8_t>(PacketKind::kRetire)) learn_oldest(packet.instance);
    ended_ = ended_ || packet.kind == static_cast<std::uint8_t>(PacketKind::kEnd);
    return true;
  }
  const InEdge* const edge = parts.arrivals.edge_of(channel, packet, inline_payload);
  if (edge == nullptr) {
    parts.failure.set(parts.arrivals.why_refused(channel, packet, inline_payload));
    return true;
  }
  // Its admission implies that what is a window older has retired. A packet inside this controller says no news.
  if (packet.instance >= oldest_ + plan_.window) learn_oldest(packet.instance + 1 - plan_.window);
  Token arrived{packet, Arrivals::without_crc(packet, inline_payload), edge->edge};
  Arrivals::remove_crc(arrived.header);
  const std::uint64_t now = parts.trace.keeps() ? now_ns() : 0;
  if (!(arrived.is_poison() ? parts.poison.arrive(arrived.header, arrived.inline_payload) : on_token(arrived)))
    return false;
  if (parts.trace.on())
    parts.trace.add({TraceEvent::Kind::kReceive, 0, now, now, packet.stage, edge->edge, packet.instance, packet.tag,
                     packet.payload_bytes});
  return true;
}

// Until a firing was long, or many were short: what was sent must be announced, and what came meanwhile be seen, before
// the next.
std::size_t Controller::drain_local() noexcept {
  Parts& parts = *parts_;
  std::size_t done = 0;
  for (; !parts.local.empty() && allowance_ > 0 && !parts.failure.any(); ++done) {
    const Token& token = parts.local.front();
    const bool taken = token.is_poison() ? parts.poison.arrive(token.header, parts.local.text()) : on_token(token);
    if (!taken) break;
    parts.local.pop();
  }
  return done;
}

void Controller::tell_late(const StageProgram& stage, const MatchKey& match) noexcept {
  const Status late(Code::kDeadlineExceeded, std::string(kLate));
  parts_->poison.kill(stage.id, match.instance, late.code(), stage.id,
                      at_tag(plan_, stage.id, match.tag, late).message());
}

void Controller::refuse_second(const StageProgram& stage, const Token& token) noexcept {
  parts_->returns.release(token);
  parts_->poison.kill(
      stage.id, token.header.instance, Code::kInvalid, stage.id,
      "two tokens came for input '" + stage.inputs[token.header.port].plan->name + "' with the same tag");
}

// The token waits for others, or for its turn.
void Controller::store(StageProgram& stage, const InPort& port, const Token& token) noexcept {
  Parts& parts = *parts_;
  std::uint32_t match = kNone;
  switch (parts.matching.add(stage, port, token, match)) {
    case Matching::Added::kWaits: return;
    case Matching::Added::kDuplicate: return refuse_second(stage, token);
    case Matching::Added::kFull:
      return parts.failure.set({Code::kDataLoss, "more tokens than blocks came for input '" + port.plan->name +
                                                     "' of stage '" + stage.plan->name + "'"});
    case Matching::Added::kReady: break;
  }
  // Nobody is ready: it need not queue.
  const bool at_once = !setup_.general_way && allowance_ > 0 && parts.matching.ready().empty();
  const Fired fired = at_once ? fire_match(match) : Fired::kNotYet;
  if (fired == Fired::kNotYet || fired == Fired::kBusy) parts.matching.make_ready(match);
}

// A complete match; it is gone if it fired.
Fired Controller::fire_match(std::uint32_t m) noexcept {
  Parts& parts = *parts_;
  const MatchKey match = parts.matching.table()[m];
  StageProgram& stage = (*parts.programs)[match.stage];
  StageInstance* const entry = stage.instances.find(match.instance);
  if (entry == nullptr) return Fired::kNotYet;
  const Fired fired = fire(stage, *entry, match, {parts.matching.table().tokens(m), 0, m});
  if (fired != Fired::kStarted) return fired;
  parts.matching.erase(m);
  parts.firings.complete_ran();
  return fired;
}

std::size_t Controller::fire_ready() noexcept {
  Parts& parts = *parts_;
  std::size_t started = 0;
  bool busy = false;  // for younger ones, too, until a firing completes
  parts.matching.ready().each_oldest([&](std::uint32_t match) {
    if (busy || parts.failure.any()) return false;
    if (allowance_ == 0) {
      parts.matching.look_again();
      return false;
    }
    const Fired fired = fire_match(match);
    busy = fired == Fired::kBusy;
    if (fired != Fired::kStarted && fired != Fired::kGone) return false;
    ++started;
    return true;
  });
  return started;
}

// The source's firings, after what the instances in flight have ready.
std::size_t Controller::fire_admitted() noexcept {
  Parts& parts = *parts_;
  std::size_t started = 0;
  StageProgram& source = (*parts.programs)[kSourceStage];
  for (; !admitted_.empty() && allowance_ > 0 && !parts.failure.any(); ++started) {
    const Activation admitted = admitted_.front();
    StageInstance* const entry = admitted.instance < oldest_ ? nullptr : source.instances.find(admitted.instance);
    if (entry != nullptr && !entry->dead) {
      const Fired fired = fire(source, *entry, {admitted, kSourceStage}, {});
      if (fired == Fired::kNotYet || fired == Fired::kBusy) break;
      // One that failed may have been the oldest, and is gone already.
      if (!admitted_.empty() && admitted_.front().instance == admitted.instance) admitted_.pop();
      if (fired == Fired::kStarted) parts.firings.complete_ran();
    } else if (entry != nullptr || admitted.instance < oldest_) {
      admitted_.pop();
    } else {
      break;
    }
  }
  return started;
}

void Controller::admit(std::uint64_t instance, std::uint64_t deadline) { admitted_.push({instance, 0, deadline}); }

void Controller::fail_at_sink(std::uint64_t instance, Code code, std::uint32_t origin,
                              std::string_view message) noexcept {
  parts_->poison.kill(kSinkStage, instance, code, origin, message);
}

void Controller::learn_oldest(std::uint64_t oldest) noexcept {
  if (oldest <= oldest_) return;
  const std::uint64_t from = std::exchange(oldest_, oldest);
  while (!admitted_.empty() && admitted_.front().instance < oldest) admitted_.pop();  // makes room for the next
  parts_->matching.retire(from, oldest);
  for (StageProgram& stage : parts_->programs->all()) stage.instances.retire(from, oldest);
}

void Controller::retire(std::uint64_t oldest) noexcept {
  published_oldest_ = std::max(published_oldest_, oldest);
  learn_oldest(oldest);
}

bool Controller::end() noexcept {
  const bool all = parts_->news.tell_end();
  parts_->bells.ring();
  return all;
}

}  // namespace woa
