#include "controllers/fpga/xrt/xrt_backend.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controllers/fpga/wact_tables.h"
#include "controllers/fpga/xrt/movers.h"
#include "controllers/fpga/xrt/node_description.h"
#include "controllers/fpga/xrt/region_buffers.h"
#include "controllers/fpga/xrt/run_slot.h"
#include "runtime/base/futex.h"
#include "runtime/base/log.h"

namespace woa {
namespace {

constexpr std::uint32_t kRuns = 8;                   // under way at once, each with a mover of its own
constexpr std::size_t kStagingBytes = 256ULL << 20;  // of all buffers for copied payloads, but for the first pair

}  // namespace

// Runs are numbered as they are started. Run n uses slot n mod kRuns. The unit ends runs in the order of their starts
// and numbers its packets so, thus firings are reported in that order.
class XrtBackend::Parts {
 public:
  Parts(const xrt::Library& xrt, XrtCard card) : unit_(xrt, std::move(card)) {}

  [[nodiscard]] const DeviceDescription& description() const noexcept { return unit_.card().description; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup);
  Result<RegionNumbers> map(std::span<const BackendMapping> mappings);
  Start start(Firing& firing) noexcept;
  std::size_t poll(std::span<Firing*> done) noexcept;
  // Waits for the runs under way. False: one does not end.
  bool settle() noexcept;

 private:
  Status load_tables();
  Status allocate_staging(std::span<const BackendMapping* const> regions);
  static Start lose(Firing& firing, Code code, const std::string& message) noexcept;
  void carry(std::uint32_t number) noexcept;
  Status send_in_turn(RunSlot& slot, std::uint32_t number) noexcept;
  [[nodiscard]] std::uint32_t under_way() const noexcept { return movers_->posted() - reported_; }

  const Plan* plan_ = nullptr;
  Doorbell wakeup_;
  NodeUnit unit_;
  std::optional<WactTables> tables_;
  RegionBuffers regions_;
  std::vector<Staging> staging_;             // used in turns
  std::uint32_t staged_ = 0, unstaged_ = 0;  // firings that took a pair, and that gave it back
  std::deque<RunSlot> slots_;
  std::uint32_t reported_ = 0;
  alignas(64) std::atomic<std::uint32_t> turn_{0};  // the run that may start; the movers' line
  std::atomic<std::uint32_t> sleeping_{0};          // movers that wait for their turn
  alignas(64) std::atomic<bool> failed_{false}, stop_{false}, abandoned_{false};
  std::optional<Movers> movers_;  // last: its threads use the rest
};

Status XrtBackend::Parts::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  plan_ = &plan;
  wakeup_ = wakeup;
  const Xclbin::Node& node = *unit_.card().xclbin.node;
  auto tables = WactTables::make(plan, stages, {node.stages, node.routes, node.channels, node.cores});
  if (!tables.ok()) return tables.status();
  tables_ = std::move(tables).value();
  WOA_RETURN_IF_ERROR(unit_.open());
  if (unit_.card().computes) WOA_RETURN_IF_ERROR(check_description(unit_));
  WOA_RETURN_IF_ERROR(load_tables());
  std::uint32_t inline_bytes = 0;
  for (const EdgePlan& edge : plan.edges) inline_bytes = std::max(inline_bytes, edge.inline_bytes);
  for (std::uint32_t k = 0; k < kRuns; ++k)
    WOA_RETURN_IF_ERROR(slots_.emplace_back(unit_, *tables_, k).open(inline_bytes));
  movers_.emplace([this](std::uint32_t number) { carry(number); });
  return movers_->start(kRuns);
}

Status XrtBackend::Parts::load_tables() {
  std::vector<NodeUnit::Line> command(1);
  const auto add = [&](std::span<const std::uint32_t> words) {
    for (; !words.empty(); words = words.subspan(wact::kEntryWords))
      std::ranges::copy(words.first(wact::kEntryWords), command.emplace_back().begin());
  };
  add(tables_->stage_words());
  add(tables_->route_words());
  command[0][wact::kCommandMagic] = wact::kCommandId;
  command[0][wact::kCommandOperation] = wact::kOperationTables;
  command[0][wact::kCommandLines] = static_cast<std::uint32_t>(command.size());
  command[0][wact::kCommandCount] = static_cast<std::uint32_t>(tables_->stage_words().size() / wact::kEntryWords);
  return unit_.run(command, 0, "tables").status();
}

Result<RegionNumbers> XrtBackend::Parts::map(std::span<const BackendMapping> mappings) {
  const std::vector<const BackendMapping*> staged = regions_.map(unit_, mappings);
  WOA_RETURN_IF_ERROR(allocate_staging(staged));
  RegionNumbers numbers;
  for (const BackendMapping* const mapping : staged) numbers.push_back(*mapping->region);
  return numbers;
}

// For the largest payloads of the stages whose regions have no buffer.
Status XrtBackend::Parts::allocate_staging(std::span<const BackendMapping* const> regions) {
  std::uint64_t input = 0, output = 0;
  for (const BackendMapping* const region : regions)
    for (const std::uint32_t stage : region->stages) {
      input = std::max(input, plan_->stages[stage].inputs[0].type.block_bytes());
      output = std::max(output, plan_->stages[stage].outputs[0].type.block_bytes());
    }
  if (input + output == 0) return {};
  const std::uint64_t pairs = std::clamp<std::uint64_t>(kStagingBytes / (input + output), 1, kRuns);
  for (std::uint64_t k = 0; k < pairs; ++k) {
    auto in = unit_.allocate(input, "copies of inputs");
    if (!in.ok()) return in.status();
    auto out = unit_.allocate(output, "copies of outputs");
    if (!out.ok()) return out.status();
    staging_.push_back({std::move(*in), std::move(*out)});
  }
  return {};
}

Start XrtBackend::Parts::lose(Firing& firing, Code code, const std::string& message) noexcept {
  firing.lost = true;
  firing.code = code;
  firing.message.assign(message);
  return Start::kCompleted;
}

Start XrtBackend::Parts::start(Firing& firing) noexcept {
  if (under_way() == kRuns) return Start::kBusy;
  RunSlot& slot = slots_[movers_->posted() % kRuns];
  if (failed_.load(std::memory_order_relaxed)) {
    if (under_way() != 0) return Start::kBusy;  // the oldest is told first
    return lose(firing, Code::kUnavailable, "an earlier run on card '" + description().device + "' failed");
  }
  if (!slot.begin(firing, regions_)) return Start::kCompleted;
  if (slot.needs_staging()) {
    if (!staging_.empty() && staged_ - unstaged_ == staging_.size()) return Start::kBusy;
    if (staging_.empty() || !slot.use(staging_[staged_ % staging_.size()]))
      return lose(firing, Code::kInternal, "a payload lies in memory that map() did not show");
    ++staged_;
  }
  movers_->post();
  return Start::kStarted;
}

std::size_t XrtBackend::Parts::poll(std::span<Firing*> done) noexcept {
  std::size_t count = 0;
  for (; count < done.size() && under_way() != 0; ++count) {
    RunSlot& slot = slots_[reported_ % kRuns];
    if (!slot.done.load(std::memory_order_acquire)) break;
    done[count] = &slot.firing();
    unstaged_ += slot.is_staged() ? 1 : 0;
    ++reported_;
  }
  return count;
}

// By a mover.
void XrtBackend::Parts::carry(std::uint32_t number) noexcept {
  RunSlot& slot = slots_[number % kRuns];
  Status status = send_in_turn(slot, number);
  if (status.ok()) status = slot.wait(stop_, *plan_);
  if (slot.may_run()) abandoned_.store(true);
  if (status.ok()) status = slot.receive();
  if (!status.ok()) slot.lose(status);
  if (slot.firing().lost) failed_.store(true);
  slot.done.store(true, std::memory_order_release);
  wakeup_.ring();
}

// Behind a run that was not started, none starts: the node would number packets that nobody asked for.
Status XrtBackend::Parts::send_in_turn(RunSlot& slot, std::uint32_t number) noexcept {
  Status status = slot.send(number);
  for (std::uint32_t turn = turn_.load(); turn != number; turn = turn_.load()) {
    sleeping_.fetch_add(1);
    futex_wait(turn_, turn);
    sleeping_.fetch_sub(1);
  }
  if (status.ok() && failed_.load()) status = {Code::kUnavailable, "an earlier run on this card failed"};
  if (status.ok()) status = slot.start();
  if (!status.ok()) failed_.store(true);
  turn_.store(number + 1);
  if (sleeping_.load() != 0) futex_wake(&turn_, static_cast<int>(kRuns));
  return status;
}

bool XrtBackend::Parts::settle() noexcept {
  stop_.store(true);
  movers_.reset();
  return !abandoned_.load();
}

XrtBackend::XrtBackend(const xrt::Library& xrt, XrtCard card) : parts_(std::make_unique<Parts>(xrt, std::move(card))) {}

XrtBackend::~XrtBackend() {
  if (parts_->settle()) return;
  log(LogLevel::kError, "a run on card '" + description().device +
                            "' does not end; it keeps its memory until this process ends, which stops it");
  static std::mutex leaving;  // controllers of a process may end at once
  static auto& abandoned = *new std::vector<std::unique_ptr<Parts>>;
  const std::lock_guard lock(leaving);
  abandoned.push_back(std::move(parts_));
}

const DeviceDescription& XrtBackend::description() const noexcept { return parts_->description(); }

Status XrtBackend::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  return parts_->load(plan, stages, wakeup);
}

Result<RegionNumbers> XrtBackend::map(std::span<const BackendMapping> mappings) { return parts_->map(mappings); }

Start XrtBackend::start(Firing& firing) noexcept { return parts_->start(firing); }

std::size_t XrtBackend::poll(std::span<Firing*> done) noexcept { return parts_->poll(done); }

}  // namespace woa
