#include "runtime/controller/controller.h"

#include <algorithm>

#include "runtime/controller/active_firing.h"
#include "runtime/controller/kernel_call.h"

namespace woa {
namespace {

constexpr std::size_t kPollBatch = 64;  // packets of one channel per duty cycle, so that none starves another
constexpr std::size_t kTraceReserve = 4096;
// What seldom matters is looked at once in so many duty cycles: each look takes a cache line that another core writes.
constexpr std::uint32_t kThoroughEvery = 16;

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

Result<std::unique_ptr<Controller>> Controller::make(ControllerSetup setup) {
  std::unique_ptr<Controller> controller(new Controller(std::move(setup)));
  auto outputs = Outputs::make(controller->plan_, controller->layout_, controller->self_, controller->setup_.wiring,
                               *controller, controller->stats_);
  if (!outputs.ok()) return outputs.status();
  controller->outputs_ = std::move(*outputs);
  return controller;
}

Controller::Controller(ControllerSetup setup)
    : setup_(std::move(setup)),
      plan_(*setup_.plan),
      layout_(*setup_.layout),
      self_(setup_.id),
      backend_(*setup_.backend),
      device_forwards_(backend_.description().forwards == "device"),
      told_oldest_(plan_.controllers.size(), 0),
      told_end_(plan_.controllers.size(), false),
      table_(plan_, layout_, self_, setup_.wiring.regions),
      matches_(plan_, layout_, self_),
      books_(plan_.stages.size()) {
  stats_.edges.resize(plan_.edges.size());
  stats_.stages.resize(plan_.stages.size());
  std::size_t tokens = plan_.window, local = 1;
  for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) {
    if (stage(s).controller != self_) continue;
    const auto& passed = layout_.passed_input[s];
    passes_on_ = passes_on_ || std::any_of(passed.begin(), passed.end(), [](std::int32_t input) { return input >= 0; });
    books_[s].instances.resize(kMaxWindow);
  }
  for (const LoadedStage& loaded : setup_.stages) {
    StageBook& book = books_[loaded.id];
    book.loaded = &loaded;
    if (stage(loaded.id).stateful == Stateful::kNo || loaded.kernel == nullptr) continue;
    book.state_stride = (loaded.kernel->state_bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    book.state.resize(book.state_stride * (stage(loaded.id).stateful == Stateful::kRun ? 1 : kMaxWindow));
  }
  for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
    if (layout_.edges[e].to == self_) tokens += plan_.edges[e].blocks;
    if (layout_.edges[e].to == self_ && !layout_.edges[e].crosses()) local += plan_.edges[e].blocks + plan_.window;
  }
  ready_.reserve(tokens);
  local_.resize(local);
  make_firings(activity_slots(plan_.controllers[self_]));
  for (std::uint32_t c = 0; c < layout_.channels.size(); ++c) {
    if (setup_.wiring.receivers[c] != nullptr) origins_.emplace_back(*this, c, *setup_.wiring.receivers[c]);
    if (setup_.wiring.senders[c] != nullptr) destinations_.push_back(c);
  }
  if (setup_.trace_limit > 0) trace_.reserve(kTraceReserve);
}

// Each with room for any stage of this controller.
void Controller::make_firings(std::size_t firings) {
  std::size_t inputs = 1, outputs = 1, elements = 0, claims = 1;
  for (const StagePlan& plan : plan_.stages) {
    if (plan.controller != self_) continue;
    std::size_t gathered = 0, claimed = 0;
    for (const InputPortPlan& port : plan.inputs) gathered += port.gather;
    for (const OutputPortPlan& port : plan.outputs) claimed += std::max(port.many, 1U);
    inputs = std::max(inputs, plan.inputs.size());
    outputs = std::max(outputs, plan.outputs.size());
    elements = std::max(elements, gathered);
    claims = std::max(claims, claimed);
  }
  for (std::size_t f = 0; f < firings; ++f) {
    ActiveFiring& firing = *firings_.emplace_back(std::make_unique<ActiveFiring>());
    firing.inputs.reserve(inputs);
    firing.tokens.reserve(inputs);
    firing.elements.reserve(elements);
    firing.element_inputs.reserve(elements);
    firing.inline_payloads = InlineStore(inputs + elements, most_inline_bytes(layout_, self_));
    firing.outputs.reserve(outputs);
    firing.claims.reserve(claims);
    firing.element_outputs.reserve(claims);
    firing.message.reserve(kPoisonMessageBytes);
    firing.activity = f < setup_.activity.size() ? &setup_.activity[f] : &firing.unread;
    free_firings_.push_back(&firing);
  }
  done_.resize(firings);
}

Controller::~Controller() {
  for (std::uint32_t s = 0; s < books_.size(); ++s) {
    for (StageInstance& entry : books_[s].instances) drop_state(s, entry);
    StageBook& book = books_[s];
    if (book.run_state_made && book.loaded->kernel->retire != nullptr) {
      release_by_kernel("retire", stage(s).kernel,
                        [&] { book.loaded->kernel->retire(book.loaded->self, book.state.data()); });
    }
  }
}

std::size_t Controller::do_work() noexcept {
  if (!fatal_.ok() || ended_) return 0;
  const bool thorough = ++cycles_ % kThoroughEvery == 0;
  std::size_t done = poll_channels();
  // Blocks that came back matter to who waits for one: a match of this controller, or the writer of what it passed on.
  if (thorough || passes_on_ || !ready_.empty()) done += poll_returns();
  if (thorough) check_channels();
  if (const std::size_t completed = poll_backend(); completed > 0) {
    done += completed;
    outputs_->flush();  // the next kernel may take long
  }
  if (outputs_->take_ring_was_full()) retry_ready_ = true;
  // Once each, and not until nothing is left: what was sent must be announced, and what came meanwhile be seen, between
  // one kernel and the next.
  done += drain_local();
  done += send_poisons();
  done += start_ready();
  done += poll_backend();
  if (self_ == kHostController) done += tell_oldest();
  outputs_->flush();
  return done;
}

std::size_t Controller::poll_channels() noexcept {
  std::size_t done = 0;
  for (ChannelSink& origin : origins_) {
    const std::size_t packets = origin.poll();
    if (packets > 0) outputs_->wake_later(origin.channel());  // it may wait for a place in the ring
    done += packets;
  }
  return done;
}

void Controller::check_channels() noexcept {
  for (const ChannelSink& origin : origins_) {
    if (Status status = origin.status(); !status.ok())
      fail_run(status.with_context("channel from '" + plan_.controllers[layout_.channels[origin.channel()].from].name +
                                   "'"));
  }
  for (const std::uint32_t c : destinations_) {
    if (Status status = setup_.wiring.senders[c]->status(); !status.ok())
      fail_run(status.with_context("channel to '" + plan_.controllers[layout_.channels[c].to].name + "'"));
  }
}

std::size_t Controller::tell_oldest() noexcept {
  std::size_t done = 0;
  for (std::uint32_t c = 1; c < told_oldest_.size(); ++c) {
    if (told_oldest_[c] >= published_oldest_) continue;
    if (!outputs_->control(c, PacketKind::kRetire, published_oldest_)) continue;
    told_oldest_[c] = published_oldest_;
    ++done;
  }
  return done;
}

void Controller::admit(std::uint64_t instance, std::uint64_t deadline) {
  const std::uint32_t match = matches_.add_empty(kSourceStage, instance, deadline);
  if (match == kNone) return fail_run({Code::kDataLoss, "more tokens than blocks came to the sink"});
  make_ready(match);
}

void Controller::fail_at_sink(std::uint64_t instance, Code code, std::uint32_t origin,
                              std::string_view message) noexcept {
  kill_stage(kSinkStage, instance, code, origin, message);
}

void Controller::retire(std::uint64_t oldest) noexcept {
  published_oldest_ = std::max(published_oldest_, oldest);
  learn_oldest(oldest);
}

bool Controller::end() noexcept {
  bool all = true;
  for (std::uint32_t c = 1; c < plan_.controllers.size(); ++c) {
    if (!told_end_[c]) told_end_[c] = outputs_->control(c, PacketKind::kEnd, 0);
    all = all && told_end_[c];
  }
  outputs_->flush();
  return all;
}

// Callers ask whether there is a trace first, since making the event takes time.
void Controller::add_trace(TraceEvent event) {
  if (trace_.size() < setup_.trace_limit) {
    trace_.push_back(event);
  } else {
    ++stats_.untraced;
  }
}

void Controller::fail_run(Status status) noexcept {
  if (fatal_.ok()) fatal_ = std::move(status);
}

}  // namespace woa
