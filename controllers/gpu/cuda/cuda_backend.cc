#include "controllers/gpu/cuda/cuda_backend.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "controllers/gpu/cuda/cuda_queue.h"
#include "controllers/gpu/cuda/device_fault.h"
#include "controllers/gpu/cuda/device_watch.h"
#include "controllers/gpu/cuda/resident_stage.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"

namespace woa {
namespace {

constexpr std::size_t kMostUnderWay = 256;     // firings of all queues; more wait in the controller
constexpr std::uint64_t kLookNs = 50'000'000;  // between two looks at the device
// While the controller sleeps, since workers ring no bell: after so long first, and then after twice as long each time.
constexpr std::uint64_t kLookForWorkersNs = 50'000, kLookForWorkersAtMostNs = 1'000'000;
constexpr std::size_t kDriversConnections = 2;    // which its own streams may take
constexpr std::uint64_t kLongNs = 5'000'000'000;  // for a firing

// A back-end of this process went while its kernel ran. That keeps its registrations, of addresses that a later run may
// get again for other memory: so there is no later one.
std::atomic<bool> left_behind{false};

}  // namespace

class CudaBackend::Parts {
 public:
  Parts(const cuda::Library& cuda, CudaDevice device, std::uint32_t queues, std::uint32_t connections)
      : cuda_(cuda), device_(std::move(device)), queue_count_(queues), connections_(connections) {}

  const DeviceDescription& description() const noexcept { return device_.description; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup);
  Status allocate(std::span<const DeviceRegion> regions);
  Result<RegionNumbers> map(std::span<const BackendMapping> mappings);
  Start start(Firing& firing) noexcept;
  std::size_t poll(std::span<Firing*> done) noexcept;
  // Waits until the device does nothing more. False: it had not ended after kLongNs.
  bool settle() noexcept;
  void release() noexcept;
  // The driver's threads touch nothing of the run any more.
  void abandon() noexcept { calls_.close(); }

 private:
  struct Watched {  // of an agent, by the watch
    std::uint64_t order = 0, since_ns = 0;
    bool told = false;
  };

  Status load_stages(std::span<const LoadedStage> stages, QueueNeeds& needs);
  Status make_workers();
  [[nodiscard]] std::string why_no_worker(std::uint32_t stage) const;
  void ask_for_bells() noexcept;
  Firing* lose_oldest() noexcept;
  Start lose(Firing& firing) noexcept;
  std::uint64_t look() noexcept;
  void look_at_streams() noexcept;
  void look_at_times() noexcept;
  std::uint64_t look_at_workers() noexcept;
  template <class Visit>
  void each_counting_stream(Visit&& visit) {
    for (CudaQueue& queue : queues_) visit(queue.stream());
    for (CountingStream& ring : rings_.streams()) visit(ring);
  }
  template <class Visit>
  void each_stream(Visit&& visit) {
    each_counting_stream([&](const CountingStream& stream) { visit(stream.get()); });
    for (const auto& worker : workers_) visit(worker->worker().stream());
  }
  template <class Visit>
  void each_agent(Visit&& visit) {
    for (CudaQueue& queue : queues_) visit(queue.under_way());
    for (const auto& worker : workers_) visit(worker->under_way());
  }

  const cuda::Library& cuda_;
  const CudaDevice device_;
  const std::uint32_t queue_count_, connections_;
  const Plan* plan_ = nullptr;
  Doorbell wakeup_;
  DriverCalls calls_;  // with the next, in front of the context that they outlive
  std::deque<FiringsUnderWay> of_queues_;
  std::shared_ptr<CudaContext> context_;
  WordStore store_;
  MappedMemory mapped_;
  CudaBlocks blocks_;
  DeviceFault fault_;
  std::vector<CudaStage> stages_;  // by number in the plan; empty for stages of other controllers
  PublishingRings rings_;
  std::deque<CudaQueue> queues_;
  std::vector<std::unique_ptr<ResidentStage>> workers_;
  std::vector<ResidentStage*> worker_of_;  // by stage; null: queues run it
  std::uint64_t started_ = 0;              // firings
  std::atomic<std::size_t> under_way_{0};
  std::atomic<std::uint64_t> look_for_workers_ns_{kLookForWorkersNs};
  // The watch's.
  std::uint64_t looked_ns_ = 0;
  std::vector<Watched> watched_;
  std::optional<DeviceWatch> watch_;  // last: its thread uses the rest
};

Status CudaBackend::Parts::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  plan_ = &plan;
  wakeup_ = wakeup;
  calls_.set_wakeup(wakeup);
  if (left_behind.load()) {
    return {Code::kUnavailable, "a kernel that this process started earlier has not ended on '" +
                                    device_.description.device + "', and keeps its memory; start another process"};
  }
  auto context = CudaContext::make(cuda_, device_);
  if (!context.ok()) return context.status();
  context_ = std::move(context).value();
  QueueNeeds needs;
  WOA_RETURN_IF_ERROR(store_.open(*context_, device_));
  WOA_RETURN_IF_ERROR(load_stages(stages, needs));
  const std::size_t most = std::min<std::size_t>(stages.size() * plan.window, kMostUnderWay);
  const std::size_t launches = (most + queue_count_ - 1) / queue_count_;
  const QueueSetup setup{*context_, store_, mapped_, blocks_, rings_, calls_};
  for (std::uint32_t i = 0; i < queue_count_; ++i)
    WOA_RETURN_IF_ERROR(
        queues_.emplace_back(setup, of_queues_.emplace_back(), i).open(needs, std::max<std::size_t>(launches, 1)));
  watch_.emplace([this] { return look(); });
  return {};
}

Status CudaBackend::Parts::load_stages(std::span<const LoadedStage> stages, QueueNeeds& needs) {
  stages_.resize(plan_->stages.size());
  worker_of_.resize(plan_->stages.size());
  const Layout layout = make_layout(*plan_);  // with wires the device keeps no fewer payloads: scratch is enough
  for (const LoadedStage& stage : stages) {
    Result<CudaStage> loaded = load_cuda_stage(*context_, device_, stage);
    if (!loaded.ok()) return loaded.status();
    needs.include(*loaded, layout);
    stages_[stage.id] = std::move(loaded).value();
  }
  return {};
}

Status CudaBackend::Parts::allocate(std::span<const DeviceRegion> regions) {
  context_->make_current();
  return blocks_.allocate(*context_, regions);
}

Result<RegionNumbers> CudaBackend::Parts::map(std::span<const BackendMapping> mappings) {
  context_->make_current();
  auto staged = mapped_.map(context_, device_, mappings);
  if (!staged.ok()) return staged;
  WOA_RETURN_IF_ERROR(rings_.open(*context_, mapped_, store_, calls_));
  for (CudaQueue& queue : queues_) queue.reserve_marks(mapped_.rings());
  WOA_RETURN_IF_ERROR(make_workers());
  return staged;
}

// Streams beyond the connections share some, and a stream would wait for a worker that it shares one with. Workers
// leave half of the device to kernels that are launched.
std::string CudaBackend::Parts::why_no_worker(std::uint32_t stage) const {
  if (!mapped_.is_registered_for(stage)) return "some of its payloads are not registered with the device";
  const auto publications = std::ranges::count(plan_->edges, stage, &EdgePlan::from_stage);
  if (static_cast<std::size_t>(publications) > ResidentWorker::kMostPublications)
    return "it has " + std::to_string(publications) + " outgoing edges, and a worker publishes at most " +
           std::to_string(ResidentWorker::kMostPublications);
  if (device_.has_time_limit) return "the driver limits the time of kernels there";
  const std::size_t streams = queues_.size() + mapped_.rings() + workers_.size();
  if (streams + kDriversConnections >= connections_)
    return "the controller has " + std::to_string(streams) + " streams already, and the process " +
           std::to_string(connections_) + " connections, " + std::to_string(kDriversConnections) +
           " of them for the driver (CUDA_DEVICE_MAX_CONNECTIONS, at most 32)";
  const std::size_t most = static_cast<std::size_t>(device_.multiprocessors) / 2;
  if (workers_.size() < most) return "";
  return "resident stages take at most half of its " + std::to_string(device_.multiprocessors) + " multiprocessors";
}

Status CudaBackend::Parts::make_workers() {
  for (const CudaStage& stage : stages_) {
    if (stage.resident == nullptr) continue;
    if (const std::string why = why_no_worker(stage.stage.id); !why.empty()) {
      log(LogLevel::kWarning, "stage '" + stage.stage.plan->name + "' is launched for each firing on '" +
                                  device_.description.device + "': " + why);
      continue;
    }
    const auto number = static_cast<std::uint32_t>(queues_.size() + workers_.size());
    auto worker = ResidentStage::make(*context_, stage, mapped_, *plan_, number);
    if (!worker.ok()) return worker.status();
    worker_of_[stage.stage.id] = worker->get();
    workers_.push_back(std::move(worker).value());
  }
  return {};
}

// Once its commands are enqueued, only the device can fail: sizes are exact, and no output is left out.
Start CudaBackend::Parts::start(Firing& firing) noexcept {
  if (fault_.any()) return under_way_ == 0 ? lose(firing) : Start::kBusy;  // the oldest is told first
  const CudaStage& stage = stages_[firing.stage];
  ResidentStage* const worker = worker_of_[firing.stage];
  CudaQueue& queue = *std::ranges::min_element(queues_, {}, [](CudaQueue& at) { return at.under_way().size(); });
  if (worker != nullptr ? worker->full() : queue.under_way().full()) return Start::kBusy;
  if (const Status status = stage.size(firing); !status.ok()) {
    firing.code = status.code();
    firing.message.assign(status.message());
    for (woa_output& output : firing.outputs) output.written = 0;
    return Start::kCompleted;
  }
  context_->make_current();
  ++started_;
  const Status status = worker != nullptr ? worker->start(firing, started_) : queue.start(stage, firing, started_);
  under_way_.fetch_add(1, std::memory_order_release);
  if (!status.ok()) {
    fault_.report(status);
    return Start::kStarted;
  }
  if (wakeup_.prepared()) ask_for_bells();
  return CudaBlocks::used_by(firing) ? Start::kOrdered : Start::kStarted;
}

std::size_t CudaBackend::Parts::poll(std::span<Firing*> done) noexcept {
  std::size_t count = 0;
  const auto take = [&](auto& agent) {
    for (Firing* firing = nullptr; count < done.size() && (firing = agent.finish()) != nullptr; ++count)
      done[count] = firing;
  };
  for (CudaQueue& queue : queues_) take(queue);
  for (const auto& worker : workers_) take(*worker);
  if (fault_.any()) {
    for (Firing* firing = nullptr; count < done.size() && (firing = lose_oldest()) != nullptr; ++count)
      done[count] = firing;
  }
  if (count != 0)
    under_way_.fetch_sub(count, std::memory_order_release);
  else if (wakeup_.prepared())
    ask_for_bells();
  return count;
}

// The controller is about to sleep.
void CudaBackend::Parts::ask_for_bells() noexcept {
  context_->make_current();
  each_counting_stream([&](CountingStream& stream) {
    if (Status status = stream.ring_when_done(); !status.ok()) fault_.report(std::move(status));
  });
  // Firings that completed meanwhile would ring no more.
  if (fault_.any() || std::ranges::any_of(queues_, &CudaQueue::has_done)) return wakeup_.ring();
  for (const auto& worker : workers_)
    if (worker->under_way().size() != 0) {
      look_for_workers_ns_.store(kLookForWorkersNs, std::memory_order_relaxed);
      return watch_->look_now();
    }
}

// It may store still, until the context has gone.
Start CudaBackend::Parts::lose(Firing& firing) noexcept {
  firing.code = fault_.status().code();
  firing.message.assign("the device '" + device_.description.device + "' failed: " + fault_.status().message() +
                        "; the oldest firing under way was of instance " + std::to_string(firing.instance));
  firing.lost = true;
  for (woa_output& output : firing.outputs) output.written = 0;
  return Start::kCompleted;
}

// The firing that was started first of all that are under way: the first that is told names the failure.
Firing* CudaBackend::Parts::lose_oldest() noexcept {
  FiringsUnderWay* oldest = nullptr;
  each_agent([&](FiringsUnderWay& agent) {
    if (agent.size() != 0 && (oldest == nullptr || agent.oldest().order < oldest->oldest().order)) oldest = &agent;
  });
  if (oldest == nullptr) return nullptr;
  Firing& firing = oldest->end_oldest();
  (void)lose(firing);
  return &firing;
}

// By the watch. All that start() did before the count rose can be seen.
std::uint64_t CudaBackend::Parts::look() noexcept {
  if (under_way_.load(std::memory_order_acquire) == 0) return kLookNs;
  const std::uint64_t now = now_ns();
  if (now - looked_ns_ >= kLookNs) {
    looked_ns_ = now;
    look_at_streams();
    look_at_times();
  }
  return look_at_workers();
}

void CudaBackend::Parts::look_at_streams() noexcept {
  context_->make_current();
  each_stream([&](cuda::Stream stream) {
    const auto code = cuda_.stream_query(stream);
    if (code != cuda::kSuccess && code != cuda::kNotReady) fault_.report(cuda_status("cuStreamQuery", code));
  });
  if (fault_.any()) wakeup_.ring();
}

void CudaBackend::Parts::look_at_times() noexcept {
  watched_.resize(queues_.size() + workers_.size());
  auto watched = watched_.begin();
  each_agent([&](FiringsUnderWay& agent) {
    Watched& at = *watched++;
    const auto seen = agent.look();
    if (!seen) return;
    if (seen->order != at.order) at = {seen->order, looked_ns_, false};
    if (at.told || looked_ns_ - at.since_ns < kLongNs) return;
    at.told = true;
    log(LogLevel::kWarning, "stage '" + plan_->stages[seen->stage].name + "', instance " +
                                std::to_string(seen->instance) + ": has run for " +
                                std::to_string(kLongNs / 1'000'000'000) + " s on '" + device_.description.device +
                                "', and may never end; give the run a deadline, or look at the kernel");
  });
}

// While the controller sleeps, nobody else rings for workers. Returns when to look again.
std::uint64_t CudaBackend::Parts::look_at_workers() noexcept {
  if (workers_.empty() || !wakeup_.prepared()) return kLookNs;
  const auto has_done = [](const auto& worker) { return worker->has_done(); };
  if (std::ranges::any_of(workers_, has_done)) wakeup_.ring();
  const std::uint64_t next_ns = look_for_workers_ns_.load(std::memory_order_relaxed);
  look_for_workers_ns_.store(std::min(2 * next_ns, kLookForWorkersAtMostNs), std::memory_order_relaxed);
  return next_ns;
}

bool CudaBackend::Parts::settle() noexcept {
  watch_.reset();
  if (context_ == nullptr) return true;
  context_->make_current();
  const std::uint64_t end = now_ns() + kLongNs;
  bool settled = true;
  for (const auto& worker : workers_) worker->worker().stop();
  each_stream([&](cuda::Stream stream) {
    if (stream == nullptr) return;
    while (settled && cuda_.stream_query(stream) == cuda::kNotReady) {
      settled = now_ns() < end;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  return settled;
}

// A device that failed may leave a copy of the driver's at work.
void CudaBackend::Parts::release() noexcept {
  calls_.close();
  mapped_.release();
  if (context_ != nullptr) context_->make_current();  // for what frees memory now
}

CudaBackend::CudaBackend(const cuda::Library& cuda, CudaDevice device, std::uint32_t queues, std::uint32_t connections)
    : parts_(std::make_unique<Parts>(cuda, std::move(device), queues, connections)) {}

CudaBackend::~CudaBackend() {
  if (parts_->settle()) {
    parts_->release();
    return;
  }
  log(LogLevel::kError, "a kernel on '" + description().device +
                            "' does not end; it keeps its memory until this process ends, which stops it");
  left_behind.store(true);
  parts_->abandon();
  static std::mutex leaving;  // controllers of a process may end at once
  static auto& abandoned = *new std::vector<std::unique_ptr<Parts>>;
  const std::lock_guard lock(leaving);
  abandoned.push_back(std::move(parts_));
}

const DeviceDescription& CudaBackend::description() const noexcept { return parts_->description(); }

Status CudaBackend::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  return parts_->load(plan, stages, wakeup);
}

Status CudaBackend::allocate(std::span<const DeviceRegion> regions) { return parts_->allocate(regions); }

Result<RegionNumbers> CudaBackend::map(std::span<const BackendMapping> mappings) { return parts_->map(mappings); }

Start CudaBackend::start(Firing& firing) noexcept { return parts_->start(firing); }

std::size_t CudaBackend::poll(std::span<Firing*> done) noexcept { return parts_->poll(done); }

}  // namespace woa
