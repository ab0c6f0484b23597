#include "runtime/node/run.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/controller/activation.h"
#include "runtime/memory/by_instance.h"
#include "runtime/node/memory_limit.h"
#include "runtime/node/run_report.h"
#include "runtime/node/supervisor.h"
#include "runtime/node/waiting.h"

namespace woa {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

// NOLINTNEXTLINE(cert-err58-cpp): made when the library is loaded
const Status given_up(Code::kCancelled, "it was given up");

std::vector<IdleOptions> waits_of(const RunOptions& options, std::size_t controllers) {
  if (options.idle) return std::vector<IdleOptions>(controllers, *options.idle);
  return default_waits(options.processors, controllers, usable_processors());
}

}  // namespace

class Run::Impl final : public InstanceObserver {
 public:
  Impl(Plan plan, RunOptions options, OnCompletion on_completion)
      : plan_(std::move(plan)), options_(std::move(options)), on_completion_(std::move(on_completion)) {}
  ~Impl() override;

  Status start(JoinedNodes joined);
  Push submit(FillInput fill, std::uint64_t timeout_ns);
  std::size_t do_work();
  void wait(std::uint64_t most_ns, const std::function<bool()>& look_again);
  void wake() const noexcept { host_->doorbell().ring(); }
  void keep() noexcept;
  bool give_back(std::uint64_t instance) noexcept;
  bool cancel(std::uint64_t instance, const std::string& why);
  Result<RunReport> finish();
  void cancel(const std::string& why) { supervisor_->cancel({Code::kCancelled, why}); }
  bool stop_within(std::uint64_t limit_ns) { return supervisor_->stop_within(limit_ns); }

  const Plan& plan() const noexcept { return plan_; }
  const Sites& sites() const noexcept { return layout_.sites; }
  Activity activity() const noexcept { return supervisor_->activity(); }
  const Status& status() const noexcept { return status_; }
  std::uint64_t in_flight() const noexcept { return in_flight_; }
  std::uint64_t oldest() const noexcept { return oldest_; }
  const DeviceDescription& device(std::uint32_t controller) const {
    return controller == kHostController ? host_->device() : supervisor_->device(controller);
  }

 private:
  // One instance in flight.
  struct Flight {
    enum class State : std::uint8_t { kOver, kOpen, kTold, kKept };  // kTold: its completion callback runs
    std::uint64_t submitted_ns = 0, deadline = kNoDeadline;
    State state = State::kOver;
    bool own_deadline = false;  // of its submission, in the place of the plan's
  };
  void on_poisoned(std::uint64_t instance, Code code, std::uint32_t origin, std::string_view message) noexcept override;
  RunUse use_in_all(const std::vector<NodeReport>& nodes);
  HostBackend::Taken complete(std::uint64_t instance, std::span<const GraphOutput> outputs, const Failure* failure);
  [[nodiscard]] bool is(std::uint64_t instance, Flight::State state) const noexcept;
  void retire();
  void begin_instances();
  void begin(std::uint64_t instance);
  void fail_at_sink(std::uint64_t instance, Code code, std::uint32_t origin, std::string_view message);
  Transports transports() const { return {options_.transport, options_.wires}; }
  bool one_site(const JoinedNodes& joined) const { return joined.empty() && options_.apart.empty(); }
  Sites sites_with(const JoinedNodes& joined) const;
  Status plan_for(const Sites& sites);
  Status check_transports(const JoinedNodes& joined) const;
  Status start_all(JoinedNodes& joined);
  Status start_host(const IdleOptions& idle);
  void cut_channels();
  void fail_late_instances();
  void fail_late(std::uint64_t instance);
  std::string how_to_be_in_time(std::uint64_t instance) const;
  void fail_all(const Status& status);
  Failure failure_at(std::uint32_t stage, Code code, std::string_view message,
                     std::string_view advice = {}) const noexcept;

  ShortTurns turns_;  // of the thread that drives
  Plan plan_;
  RunOptions options_;
  OnCompletion on_completion_;
  Layout layout_;
  Segments segments_;
  std::unique_ptr<HostedController> host_;
  HostBackend* backend_ = nullptr;  // owned by host_
  std::unique_ptr<Supervisor> supervisor_;
  std::vector<std::uint64_t> packets_before_;  // Transports::packets() of earlier runs
  Status status_;
  bool finished_ = false;  // in order
  ByInstance<Flight> flights_;
  // Places in the window from oldest_ to next_; the instances below begun_ have begun, those behind wait for memory.
  std::uint64_t next_ = 0, oldest_ = 0, begun_ = 0;
  std::uint64_t in_flight_ = 0, running_ = 0, kept_ = 0;  // running_: those in flight that have begun
  MemoryLimit memory_;
  std::uint64_t held_since_ns_ = 0;        // 0: none waits for memory
  std::uint64_t full_since_ns_ = 0;        // 0: the window has room
  std::uint64_t completed_ns_ = 0;         // the last completion, or outputs that were given back
  RunUse use_;                             // times of window and memory, so far
  ProcessorWatch processors_;              // since the run started
  std::set<std::uint32_t> elsewhere_;      // controllers of nodes that joined
  Flight* delivering_ = nullptr;           // its outputs are with the completion callback
  std::uint64_t first_deadline_ = kNever;  // of the instances in flight, or of some that have ended
};

// The host closes its ends before it waits for the nodes: they wait for that before they let go of their replicas.
Run::Impl::~Impl() {
  if (!finished_ && status_.ok()) status_ = given_up;
  if (supervisor_ != nullptr) supervisor_->stop(status_);
  if (!finished_) cut_channels();
  host_.reset();
  supervisor_.reset();
}

// Closes the channels with replicas, so that nothing here waits for a process that may be gone.
void Run::Impl::cut_channels() {
  for (std::size_t c = 0; c < segments_.replicas.size(); ++c) {
    const ChannelLayout& channel = layout_.channels[c];
    // Fails only for a replica that is not this channel's.
    if (segments_.replicas[c] != nullptr)
      (void)options_.wires[*channel.wire]->close_channel(channel.spec, segments_.replicas[c]);
  }
}

// The host's site, and one for each controller that shares no memory with it.
Sites Run::Impl::sites_with(const JoinedNodes& joined) const {
  Sites sites{{}, transports().header_room(), options_.lanes, options_.payload_crc};
  if (one_site(joined)) return sites;
  for (std::uint32_t c = 0; c < plan_.controllers.size(); ++c)
    sites.of.push_back(options_.apart.contains(c) || joined.contains(c) ? c : kHostController);
  return sites;
}

Status Run::Impl::plan_for(const Sites& sites) {
  plan_ = fan_out_by_tree(plan_, sites, options_.fan_out);
  Status status = validate(plan_);
  return status.ok() ? status : status.with_context("with trees between sites (fan-out flat leaves them out)");
}

Status Run::Impl::check_transports(const JoinedNodes& joined) const {
  if (!joined.empty() && options_.node_command.empty())
    return {Code::kInvalid, "nodes joined a run of one process; it needs a command that starts its own nodes"};
  if (!one_site(joined) && options_.wires.empty())
    return {Code::kInvalid, "some controllers share no memory with the others, and there is no transport to them"};
  for (const auto& [lane, wire] : options_.lanes) {
    if (wire >= options_.wires.size())
      return {Code::kInvalid, "lane '" + lane + "' is bound to wire " + std::to_string(wire) + ", of " +
                                  std::to_string(options_.wires.size())};
  }
  return check_lanes(plan_, options_.lanes);
}

Status Run::Impl::start(JoinedNodes joined) {
  status_ = start_all(joined);
  if (!status_.ok()) refuse(joined, status_);
  return status_;
}

// Moves from `joined` once the nodes are to be served.
Status Run::Impl::start_all(JoinedNodes& joined) {
  WOA_RETURN_IF_ERROR(validate(plan_));
  WOA_RETURN_IF_ERROR(check_runnable(plan_));
  if (!options_.node_command.empty()) WOA_RETURN_IF_ERROR(check_movable(plan_));
  WOA_RETURN_IF_ERROR(check_transports(joined));
  Sites sites = sites_with(joined);
  if (!one_site(joined)) WOA_RETURN_IF_ERROR(plan_for(sites));
  layout_ = make_layout(plan_, std::move(sites));
  flights_ = ByInstance<Flight>(plan_.window);
  const bool wired = wires_of(layout_) != 0;
  WOA_RETURN_IF_ERROR(check_landings(plan_, layout_));
  auto segments = allocate_segments(layout_, layout_.sites.site(kHostController), *options_.transport);
  if (!segments.ok()) return segments.status();
  segments_ = std::move(*segments);
  if (wired) WOA_RETURN_IF_ERROR(add_replicas(layout_, kHostController, transports(), segments_));
  std::vector<IdleOptions> waits = waits_of(options_, plan_.controllers.size());
  const IdleOptions host_waits = waits[kHostController];

  NodeSetup nodes;
  nodes.plan = &plan_;
  nodes.layout = &layout_;
  nodes.segments = &segments_;
  nodes.backends = options_.backends;
  nodes.transports = transports();
  nodes.kernel_path = options_.kernel_path;
  nodes.read_declaration = options_.read_declaration;
  nodes.program_kernels = options_.program_kernels;
  nodes.brief_program_kernels_here = options_.brief_program_kernels_here;
  nodes.trace_limit = options_.trace_limit;
  nodes.waits = std::move(waits);
  nodes.node_command = options_.node_command;
  for (const auto& [controller, node] : joined) elsewhere_.insert(controller);
  nodes.joined = std::move(joined);
  nodes.processors = options_.processors;
  nodes.start_ns = options_.start_ns;
  nodes.end_ns = options_.end_ns;
  packets_before_ = transports().packets();
  processors_.start();
  use_.usable = usable_processors();
  supervisor_ = std::make_unique<Supervisor>(std::move(nodes));
  if (wired) WOA_RETURN_IF_ERROR(supervisor_->connect());
  WOA_RETURN_IF_ERROR(start_host(host_waits));
  WOA_RETURN_IF_ERROR(supervisor_->start(host_->doorbell()));
  const auto written = [this] {
    return segments_.whole->written_bytes() + host_->own_bytes() + supervisor_->own_bytes();
  };
  memory_ = MemoryLimit(written, options_.memory);
  return supervisor_->watch();
}

Status Run::Impl::start_host(const IdleOptions& idle) {
  HostedControllerSetup host;
  host.plan = &plan_;
  host.layout = &layout_;
  host.id = kHostController;
  host.backends = options_.backends;
  auto backend = std::make_unique<HostBackend>([this](std::uint64_t instance, std::span<const GraphOutput> outputs) {
    return complete(instance, outputs, nullptr);
  });
  backend_ = backend.get();
  host.backend = std::move(backend);
  host.transports = transports();
  host.segments = &segments_;
  host.observer = this;
  host.trace_limit = options_.trace_limit;
  host.idle = idle;
  auto hosted = HostedController::make(std::move(host));
  if (!hosted.ok()) return hosted.status();
  host_ = std::move(*hosted);
  return {};
}

Push Run::Impl::submit(FillInput fill, std::uint64_t timeout_ns) {
  if (!status_.ok()) return Push::kClosed;
  if (next_ >= oldest_ + plan_.window) return Push::kBackPressured;
  const std::uint64_t now = now_ns();
  const std::uint64_t deadline = deadline_after(now, timeout_ns != 0 ? timeout_ns : plan_.timeout_ns);
  if (deadline != kNoDeadline) first_deadline_ = std::min(first_deadline_, deadline);
  flights_[next_] = {now, deadline, Flight::State::kOpen, timeout_ns != 0};
  ++in_flight_;
  backend_->set_inputs(next_++, std::move(fill));
  if (next_ == oldest_ + plan_.window) full_since_ns_ = now;
  begin_instances();
  return Push::kOk;
}

// In their order, while there is memory for them.
void Run::Impl::begin_instances() {
  while (begun_ < next_ && (running_ == 0 || memory_.admits(running_ + kept_))) begin(begun_++);
  const bool held = begun_ < next_;
  if (held == (held_since_ns_ != 0)) return;
  const std::uint64_t now = now_ns();
  if (!held) use_.held_ns += now - held_since_ns_;
  held_since_ns_ = held ? now : 0;
}

void Run::Impl::begin(std::uint64_t instance) {
  const Flight& flight = flights_[instance];
  host_->controller().admit(instance, flight.deadline);
  if (flight.state == Flight::State::kOpen) {
    ++running_;
    return;
  }
  // It failed while it waited, so its submission may be gone.
  backend_->set_inputs(instance, [](std::uint32_t, std::span<std::byte>) { return Result<std::uint64_t>(given_up); });
  host_->controller().fail_at_sink(instance, Code::kCancelled, kNoStage, given_up.message());
  retire();
}

std::size_t Run::Impl::do_work() {
  if (!status_.ok()) return 0;
  std::size_t done = 0;
  const Status worked = or_no_memory([&] {
    done = host_->controller().do_work();
    if (begun_ < next_) begin_instances();
    if (first_deadline_ != kNever) fail_late_instances();
    return Status();
  });
  if (!worked.ok()) supervisor_->cancel(worked);
  if (const Status& own = host_->controller().status(); !own.ok()) {
    if (own.code() == Code::kPeerLost)
      supervisor_->lose(kHostController, own);
    else
      fail_all(if_memory([&] { return own.with_context("controller 'host'"); }, own));
  }
  if (status_.ok() && supervisor_->failed()) fail_all(supervisor_->failure());
  if (done > 0) host_->wait(true, [] { return true; });
  return done;
}

void Run::Impl::wait(std::uint64_t most_ns, const std::function<bool()>& look_again) {
  host_->wait(
      false, [&] { return do_work() > 0 || !status_.ok() || (look_again && look_again()); }, most_ns);
}

// Rule 7: the sink has a timer of its own.
void Run::Impl::fail_late_instances() {
  const std::uint64_t now = now_ns();
  if (now <= first_deadline_) return;
  first_deadline_ = kNever;
  for (std::uint64_t i = oldest_; i < next_; ++i) {
    const Flight& flight = flights_[i];
    if (flight.state != Flight::State::kOpen || flight.deadline == kNoDeadline) continue;
    if (now > flight.deadline) fail_late(i);
    if (is(i, Flight::State::kOpen)) first_deadline_ = std::min(first_deadline_, flights_[i].deadline);
  }
}

// The message says which kernels still ran: those of the instance, or else those for which it may have waited.
void Run::Impl::fail_late(std::uint64_t instance) {
  const std::vector<RunningKernel> running = supervisor_->running();
  std::vector<RunningKernel> its = running;
  std::erase_if(its, [&](const RunningKernel& each) { return each.instance != instance; });
  std::string text(kLate);
  const std::uint32_t origin = its.empty() ? kNoStage : its.front().stage;
  if (!running.empty()) text += ", while " + to_string(plan_, its.empty() ? running : its);
  fail_at_sink(instance, Code::kDeadlineExceeded, origin, text);
}

// One that has not begun is unknown to the controllers.
void Run::Impl::fail_at_sink(std::uint64_t instance, Code code, std::uint32_t origin, std::string_view message) {
  if (instance < begun_)
    host_->controller().fail_at_sink(instance, code, origin, message);
  else
    on_poisoned(instance, code, origin, message);
}

std::string Run::Impl::how_to_be_in_time(std::uint64_t instance) const {
  const bool own = flights_[instance].own_deadline;
  return std::string("; raise ") + (own ? "the deadline that it was submitted with" : "--deadline") +
         " or find the slow stage (--trace)";
}

// Rule 10: a lost peer, or a corrupt channel, fails every instance in flight as peer_lost.
void Run::Impl::fail_all(const Status& status) {
  status_ = status;
  const auto ran = if_memory([&] { return supervisor_->ran_at_death(); }, std::vector<RunningKernel>());
  const Code code = status.code() == Code::kCancelled ? Code::kCancelled : Code::kPeerLost;
  for (std::uint64_t i = oldest_; i < next_; ++i) {
    if (!is(i, Flight::State::kOpen)) continue;
    const auto at = std::ranges::find(ran, i, &RunningKernel::instance);
    const Failure failure = failure_at(at == ran.end() ? kNoStage : at->stage, code, status.message());
    complete(i, {}, &failure);
  }
}

// Adds the advice where the runtime has found the instance late, and not to a kernel's own kDeadlineExceeded.
void Run::Impl::on_poisoned(std::uint64_t instance, Code code, std::uint32_t origin,
                            std::string_view message) noexcept {
  const bool late = code == Code::kDeadlineExceeded && message.find(kLate) != std::string_view::npos;
  const std::string advice = late ? if_memory([&] { return how_to_be_in_time(instance); }, std::string()) : "";
  const Failure failure = failure_at(origin, code, message, advice);
  complete(instance, {}, &failure);
}

// kNoStage: of the run itself.
Failure Run::Impl::failure_at(std::uint32_t stage, Code code, std::string_view message,
                              std::string_view advice) const noexcept {
  const auto whole = [&] {
    return Failure{code, stage < plan_.stages.size() ? plan_.stages[stage].name : std::string(),
                   std::string(message).append(advice)};
  };
  return if_memory(whole, Failure{code, {}, {}});
}

bool Run::Impl::is(std::uint64_t instance, Flight::State state) const noexcept {
  return instance >= oldest_ && instance < next_ && flights_[instance].state == state;
}

HostBackend::Taken Run::Impl::complete(std::uint64_t instance, std::span<const GraphOutput> outputs,
                                       const Failure* failure) {
  if (!is(instance, Flight::State::kOpen)) return HostBackend::Taken::kDone;
  Flight& flight = flights_[instance];
  flight.state = Flight::State::kTold;
  --in_flight_;
  if (instance < begun_) --running_;
  Flight* const outer = std::exchange(delivering_, failure == nullptr ? &flight : nullptr);
  completed_ns_ = now_ns();
  on_completion_({instance, completed_ns_ - flight.submitted_ns, outputs, failure});
  delivering_ = outer;
  if (flight.state == Flight::State::kKept) return HostBackend::Taken::kKept;
  flight.state = Flight::State::kOver;
  retire();
  return HostBackend::Taken::kDone;
}

void Run::Impl::retire() {
  const std::uint64_t before = oldest_;
  while (oldest_ < begun_ && flights_[oldest_].state == Flight::State::kOver) ++oldest_;
  if (full_since_ns_ != 0 && oldest_ != before) {
    if (completed_ns_ > full_since_ns_) use_.full_ns += completed_ns_ - full_since_ns_;
    full_since_ns_ = 0;
  }
  if (status_.ok()) host_->controller().retire(oldest_);
}

void Run::Impl::keep() noexcept {
  if (delivering_ == nullptr || delivering_->state != Flight::State::kTold) return;
  delivering_->state = Flight::State::kKept;
  ++kept_;
}

bool Run::Impl::give_back(std::uint64_t instance) noexcept {
  if (!is(instance, Flight::State::kKept)) return false;
  flights_[instance].state = Flight::State::kOver;
  --kept_;
  if (full_since_ns_ != 0) completed_ns_ = now_ns();
  backend_->give_back(instance);
  retire();
  return true;
}

bool Run::Impl::cancel(std::uint64_t instance, const std::string& why) {
  if (!status_.ok() || !is(instance, Flight::State::kOpen)) return false;
  fail_at_sink(instance, Code::kCancelled, kNoStage, why);
  return true;
}

RunUse Run::Impl::use_in_all(const std::vector<NodeReport>& nodes) {
  RunUse use = use_;
  memory_.look();
  use.memory = memory_.written(), use.most_memory = memory_.most();
  use.processors = processors_.own();
  use.all_ns = processors_.all_ns();
  for (std::uint32_t c = 0; c < nodes.size(); ++c)
    if (!elsewhere_.contains(c)) use.processors += nodes[c].use;
  return use;
}

Result<RunReport> Run::Impl::finish() {
  while (in_flight_ > 0 && status_.ok()) {
    if (do_work() == 0) wait(~std::uint64_t{0}, nullptr);
  }
  if (!status_.ok()) return status_;
  const std::uint64_t limit = now_ns() + options_.end_ns;
  while (status_.ok() && !host_->controller().end() && now_ns() < limit) {
    if (do_work() == 0)
      wait(~std::uint64_t{0}, nullptr);  // a node that is inside a kernel has not read earlier packets
  }
  if (!status_.ok()) return status_;
  auto nodes = supervisor_->collect(limit);
  if (!nodes.ok()) {
    status_ = nodes.status();
    return status_;
  }
  finished_ = true;
  host_->note_end();
  const Controller& host = host_->controller();
  const Processors on = options_.processors.empty() ? Processors() : options_.processors[kHostController];
  (*nodes)[kHostController] = {
      {host_->device(), on, {}}, host.stats(), {host.trace().begin(), host.trace().end()}, transports().packets()};
  const RunUse use = use_in_all(*nodes);
  supervisor_->end_devices();
  RunReport report = sum_reports(std::move(*nodes), elsewhere_, plan_.edges.size(), packets_before_);
  report.use = use;
  return report;
}

Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::~Run() = default;

Result<std::unique_ptr<Run>> Run::start(Plan plan, RunOptions options, OnCompletion on_completion, JoinedNodes joined) {
  auto impl = std::make_unique<Impl>(std::move(plan), std::move(options), std::move(on_completion));
  WOA_RETURN_IF_ERROR(impl->start(std::move(joined)));
  return std::unique_ptr<Run>(new Run(std::move(impl)));
}

Push Run::submit(FillInput fill, std::uint64_t timeout_ns) { return impl_->submit(std::move(fill), timeout_ns); }
std::size_t Run::do_work() { return impl_->do_work(); }
void Run::wait(std::uint64_t most_ns, const std::function<bool()>& look_again) { impl_->wait(most_ns, look_again); }
void Run::wake() const noexcept { impl_->wake(); }
void Run::keep() noexcept { impl_->keep(); }
bool Run::give_back(std::uint64_t instance) noexcept { return impl_->give_back(instance); }
bool Run::cancel(std::uint64_t instance, const std::string& why) { return impl_->cancel(instance, why); }
std::uint64_t Run::in_flight() const noexcept { return impl_->in_flight(); }
std::uint64_t Run::oldest() const noexcept { return impl_->oldest(); }
const Status& Run::status() const noexcept { return impl_->status(); }
Result<RunReport> Run::finish() { return impl_->finish(); }
void Run::cancel(const std::string& why) { impl_->cancel(why); }
bool Run::stop_within(std::uint64_t limit_ns) { return impl_->stop_within(limit_ns); }
const Plan& Run::plan() const noexcept { return impl_->plan(); }
const Sites& Run::sites() const noexcept { return impl_->sites(); }
std::span<const ActivitySlot> Run::activity() const noexcept { return impl_->activity(); }
const DeviceDescription& Run::device(std::uint32_t controller) const { return impl_->device(controller); }

}  // namespace woa
