#include "controllers/cpu/isolation.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "runtime/base/child_process.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/processor.h"
#include "runtime/base/quantities.h"
#include "runtime/plan/plan_file.h"

namespace woa {
namespace {

constexpr std::uint64_t kStartNs = 60'000'000'000;   // for a process to load its kernels
constexpr std::uint64_t kEndNs = 1'000'000'000;      // for one to release them
constexpr std::uint64_t kStoppedNs = 3'000'000'000;  // that a process may be stopped in silence
constexpr std::uint64_t kLookNs = 20'000'000;        // a process may be killed between its answer and the wake-up

constexpr std::uint32_t kMostStarts = 5;  // of processes that end while they begin

std::string limit_text(const StagePlan& stage) { return us_text(static_cast<double>(stage.limit_ns) / 1'000); }

IdleOptions thread_waits(bool has_processor) {
  IdleOptions waits = has_processor ? IdleOptions() : kHelperWaits;
  waits.sleep_ns = kLookNs;
  return waits;
}

}  // namespace

// ---- What all processes have in common

Isolation::Isolation(Children::Program program, const Plan& plan, std::span<const LoadedStage> stages,
                     std::uint32_t workers)
    : program_(std::move(program)), plan_(plan), have_processors_(std::size_t{2} * workers < usable_processors()) {
  for (const LoadedStage& stage : stages) {
    if (!stage.plan->isolated) continue;
    stages_.push_back({stage.id, stage.folder, stage.sent});
    is_needed_ = is_needed_ || !stage.brief_here;
  }
  shape_ = WorkerShape::of(plan, stages_);
}

Isolation::~Isolation() = default;

Status Isolation::write_setup(std::span<const BackendMapping> mappings) {
  WorkerSetup setup{serialize(plan_), stages_, {}};
  for (const BackendMapping& mapping : mappings) {
    if (mapping.descriptor < 0 || !mapping.region) continue;
    const auto is_isolated = [&](std::uint32_t stage) { return plan_.stages[stage].isolated; };
    if (std::ranges::none_of(mapping.stages, is_isolated)) continue;
    auto known = std::ranges::find(descriptors_, mapping.descriptor);
    if (known == descriptors_.end()) known = descriptors_.insert(known, mapping.descriptor);
    const auto place = static_cast<std::uint32_t>(known - descriptors_.begin());
    const bool writable = mapping.has_guards && mapping.access == Access::kReadWrite;
    setup.regions.push_back({*mapping.region, kFirstRegionDescriptor + place, mapping.offset, mapping.bytes.size(),
                             writable, mapping.has_guards, mapping.block_step});
    regions_.push_back({mapping.bytes, *mapping.region});
  }
  std::ranges::sort(regions_, {}, [](const Region& region) { return region.bytes.data(); });
  const std::string bytes = message::encode(setup);
  WOA_ASSIGN_OR_RETURN(setup_, SharedSegment::make("worker-setup", bytes.size()));
  WOA_ASSIGN_OR_RETURN(const auto mapping, setup_->map(Access::kReadWrite));
  std::memcpy(mapping->bytes().data(), bytes.data(), bytes.size());
  return {};
}

Status Isolation::begin(std::span<const BackendMapping> mappings) {
  if (program_.command.empty())
    return {Code::kUnsupported, "this program starts no worker processes, which isolated stages run in"};
  WOA_RETURN_IF_ERROR(write_setup(mappings));
  if (!is_needed_) return {};
  WOA_ASSIGN_OR_RETURN(spare_, start());
  return {};
}

Result<std::unique_ptr<WorkerProcess>> Isolation::take() {
  {
    const std::lock_guard lock(mutex_);
    if (spare_ != nullptr) return std::move(spare_);
  }
  return start();
}

// One that ends while it begins has run nothing: somebody may have killed it.
Result<std::unique_ptr<WorkerProcess>> Isolation::start() {
  Result<std::unique_ptr<WorkerProcess>> started = WorkerProcess::start(*this);
  for (std::uint32_t k = 1; k < kMostStarts && started.status().code() == Code::kPeerLost && !stopped(); ++k)
    started = WorkerProcess::start(*this);
  return started;
}

std::uint64_t Isolation::place_of(const std::uint8_t* data) const noexcept {
  const auto* const at = reinterpret_cast<const std::byte*>(data);
  const auto behind = std::ranges::upper_bound(regions_, at, {}, [](const Region& of) { return of.bytes.data(); });
  if (behind == regions_.begin()) return WorkerPlace::kNowhere;
  const Region& region = *(behind - 1);
  const auto offset = static_cast<std::uint64_t>(at - region.bytes.data());
  return offset < region.bytes.size() ? WorkerPlace::make(region.number, offset) : WorkerPlace::kNowhere;
}

// ---- One process

struct WorkerProcess::Link {
  Link(std::unique_ptr<Mapping> mapped, const WorkerMemory& of) : mapping(std::move(mapped)), memory(of) {}
  std::unique_ptr<Mapping> mapping;
  WorkerMemory memory;
  std::atomic<bool> ended{false};
  std::optional<int> how = {};  // once it has ended
};

WorkerProcess::WorkerProcess(Isolation& isolation, std::shared_ptr<Link> link) noexcept
    : isolation_(isolation),
      link_(std::move(link)),
      idle_(Doorbell(&link_->memory.header().thread_line), thread_waits(isolation.have_processors_)) {}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(Isolation& isolation) {
  const std::size_t bytes = isolation.shape_.bytes();
  WOA_ASSIGN_OR_RETURN(const auto segment, SharedSegment::make("worker", bytes));
  WOA_ASSIGN_OR_RETURN(auto mapping, segment->map(Access::kReadWrite));
  new (mapping->bytes().data()) WorkerHeader();
  const WorkerMemory memory(mapping->bytes(), isolation.shape_);
  for (std::size_t k = 0; k < kWorkerSlots; ++k) new (memory.slot(k).exchange) WorkerExchange();
  auto link = std::make_shared<Link>(std::move(mapping), memory);
  WorkerHeader& header = link->memory.header();
  header.parent = ::getpid();
  header.clock_ahead_ns = clock_ahead_ns();
  header.has_processor = isolation.have_processors_ ? 1 : 0;
  header.setup_bytes = isolation.setup_->bytes();
  header.bytes = bytes;
  ::sched_getaffinity(0, sizeof header.processors, &header.processors);
  std::vector<int> descriptors{segment->descriptor(), isolation.setup_->descriptor()};
  descriptors.insert(descriptors.end(), isolation.descriptors_.begin(), isolation.descriptors_.end());
  std::unique_ptr<WorkerProcess> process(new WorkerProcess(isolation, link));
  WOA_ASSIGN_OR_RETURN(process->pid_,
                       isolation.children_.start(isolation.program_, descriptors, [link](std::optional<int> how) {
                         link->how = how;
                         link->ended.store(true);
                         Doorbell(&link->memory.header().thread_line).ring();
                       }));
  WOA_RETURN_IF_ERROR(process->await_start());
  return process;
}

Status WorkerProcess::await_start() {
  const auto life = [&] { return link_->memory.header().stage_of_life(); };
  const Outcome outcome = await(kStartNs, [&] { return life() != WorkerLife::kStarting; });
  if (outcome == Outcome::kAnswered && life() == WorkerLife::kServing) return {};
  const std::string process = "a worker process, which loads the kernels of isolated stages, ";
  if (outcome == Outcome::kTooLong)
    return {Code::kUnavailable, process + "was not ready within " + us_text(static_cast<double>(kStartNs) / 1'000)};
  if (outcome != Outcome::kAnswered) return {Code::kPeerLost, process + how_it_ended()};
  const Status said = link_->memory.header().failure.hear();
  if (said.ok()) return {Code::kInternal, process + "does not say why it failed"};
  return {said.code() == Code::kUnavailable ? Code::kNotFound : said.code(),
          said.message()};  // kept for devices and peers
}

WorkerProcess::~WorkerProcess() {
  if (pid_ < 0) return;
  WorkerHeader& header = link_->memory.header();
  const bool waits = !link_->ended.load() && given_ == taken_ && header.stage_of_life() == WorkerLife::kServing;
  if (waits) {
    header.tell_process(WorkerLife::kEnding);
    for (const std::uint64_t until = now_ns() + kEndNs; !link_->ended.load() && now_ns() < until;)
      idle_.idle(false, [&] { return link_->ended.load(); });
  }
  if (!link_->ended.load()) isolation_.children_.kill(pid_);
}

const WorkerSlot& WorkerProcess::next_slot() const noexcept { return link_->memory.slot(given_); }

const WorkerSlot& WorkerProcess::oldest_slot() const noexcept { return link_->memory.slot(taken_); }

// Says so once: the process may go on (ADR 11).
void WorkerProcess::tell_if_stopped() noexcept {
  if (stop_told_ || !is_stopped(pid_)) return;
  stop_told_ = true;
  const auto text = [&] {
    const std::string process = std::to_string(pid_);
    return "a worker process (" + process + ") is stopped; `kill -CONT " + process + "` lets it go on";
  };
  log(LogLevel::kWarning, if_memory(text, std::string("a worker process is stopped")));
}

template <class Answered>
WorkerProcess::Outcome WorkerProcess::await(std::uint64_t limit_ns, const Answered& answered) noexcept {
  const auto over = [&] { return answered() || link_->ended.load() || isolation_.stopped(); };
  const auto awaits = [] { return Doorbell::kWorkOrRoom; };
  const std::uint64_t begin = now_ns();
  std::uint64_t look_ns = begin + kStoppedNs, took = 0;
  for (; !over() && (limit_ns == 0 || took < limit_ns); took = now_ns() - begin) {
    idle_.idle(false, over, awaits, limit_ns == 0 ? Idle::kForever : limit_ns - took);
    if (begin + took < look_ns) continue;
    look_ns += kStoppedNs;
    tell_if_stopped();
  }
  idle_.idle(true, over);
  if (answered()) return Outcome::kAnswered;
  const bool too_long = !link_->ended.load() && !isolation_.stopped();
  kill();
  return too_long ? Outcome::kTooLong : isolation_.stopped() ? Outcome::kStopped : Outcome::kEnded;
}

void WorkerProcess::kill() noexcept {
  isolation_.children_.kill(pid_);
  idle_.wait_until([&] { return link_->ended.load(); });
}

bool WorkerProcess::has_ended() const noexcept { return link_->ended.load(); }

std::string WorkerProcess::how_it_ended() const {
  return link_->how ? woa::how_it_ended(*link_->how) : "ended, and the system does not say how";
}

bool WorkerProcess::ended_from_outside() const noexcept {
  if (!link_->how || !WIFSIGNALED(*link_->how)) return !link_->how;
  return WTERMSIG(*link_->how) == SIGKILL || WTERMSIG(*link_->how) == SIGTERM;
}

std::string WorkerProcess::where_it_strayed(const StagePlan& stage, const Firing& firing) const {
  const std::uint64_t fault = link_->memory.header().fault.load(std::memory_order_relaxed);
  const WorkerPlace place(fault);
  if (!place.is_somewhere()) return {};
  // The guard that it touched follows the nearest output in front of it.
  std::string nearest;
  std::uint64_t distance = ~std::uint64_t{0};
  for (std::size_t p = 0; p < firing.outputs.size(); ++p) {
    const woa_output& output = firing.outputs[p];
    const std::size_t elements = stage.outputs[p].many;
    for (std::size_t e = 0; e < std::max<std::size_t>(elements, 1); ++e) {
      const woa_output& of = elements == 0 ? output : output.elements[e];
      const WorkerPlace begin(of.data == nullptr ? WorkerPlace::kNowhere : isolation_.place_of(of.data));
      if (!begin.is_somewhere() || begin.region() != place.region() || place.offset() < begin.offset()) continue;
      if (place.offset() - begin.offset() >= distance) continue;
      distance = place.offset() - begin.offset();
      nearest = "behind the " + std::to_string(of.capacity) + " bytes of output '" + stage.outputs[p].name + "'";
    }
  }
  return nearest;
}

// Nothing: inline payloads take more room than the plan says.
std::optional<std::uint64_t> WorkerProcess::place(const std::uint8_t* data, std::uint64_t bytes,
                                                  std::size_t& inline_used) noexcept {
  if (data == nullptr) return WorkerPlace::kNowhere;
  if (const std::uint64_t place = isolation_.place_of(data); place != WorkerPlace::kNowhere) return place;
  const std::span<std::uint8_t> room = next_slot().inline_payloads;
  const std::uint64_t lines = in_whole_lines(bytes);
  if (lines > room.size() - inline_used) return std::nullopt;
  std::memcpy(room.data() + inline_used, data, bytes);
  return WorkerPlace::make(WorkerPlace::kInline, std::exchange(inline_used, inline_used + lines));
}

bool WorkerProcess::write_request(const LoadedStage& stage, Firing& firing) noexcept {
  const WorkerSlot& slot = next_slot();
  std::size_t inline_used = 0, next = firing.inputs.size();
  const auto write_input = [&](const woa_input& from, woa_input& to) {
    const auto at = place(from.data, from.bytes, inline_used);
    to = from;
    to.elements = nullptr;
    to.data = reinterpret_cast<const std::uint8_t*>(at.value_or(WorkerPlace::kNowhere));
    return at.has_value();
  };
  bool ok = true;
  for (std::size_t p = 0; p < firing.inputs.size(); ++p) {
    const woa_input& from = firing.inputs[p];
    ok = ok && write_input(from, slot.inputs[p]);
    for (std::uint32_t e = 0; ok && from.elements != nullptr && e < from.count; ++e)
      ok = write_input(from.elements[e], slot.inputs[next++]);
  }
  next = firing.outputs.size();
  const auto write_output = [&](const woa_output& from, woa_output& to) {
    to = {};
    to.capacity = from.capacity;
    to.data =
        reinterpret_cast<std::uint8_t*>(from.data == nullptr ? WorkerPlace::kNowhere : isolation_.place_of(from.data));
  };
  for (std::size_t p = 0; p < firing.outputs.size(); ++p) {
    write_output(firing.outputs[p], slot.outputs[p]);
    for (std::uint32_t e = 0; e < stage.plan->outputs[p].many; ++e)
      write_output(firing.outputs[p].elements[e], slot.outputs[next++]);
  }
  WorkerExchange& request = *slot.exchange;
  request.stage = stage.id;
  request.timed = firing.timed;
  request.attached_bytes = 0;
  request.instance = firing.instance;
  request.tag = firing.tag;
  if (firing.state != nullptr) std::memcpy(slot.state.data(), firing.state, stage.plan->state_bytes);
  return ok;
}

void WorkerProcess::read_answer(const LoadedStage& stage, Firing& firing) noexcept {
  const WorkerSlot& slot = oldest_slot();
  std::size_t next = firing.outputs.size();
  for (std::size_t p = 0; p < firing.outputs.size(); ++p) {
    copy_answer(slot.outputs[p], firing.outputs[p]);
    for (std::uint32_t e = 0; e < stage.plan->outputs[p].many; ++e)
      copy_answer(slot.outputs[next++], firing.outputs[p].elements[e]);
  }
  const WorkerExchange& answer = *slot.exchange;
  firing.started_ns = answer.started_ns;
  firing.ended_ns = std::max(answer.started_ns, answer.ended_ns);
  const Status said = answer.said.hear();
  firing.code = said.code();
  if (said.ok()) {
    if (firing.state != nullptr) std::memcpy(firing.state, slot.state.data(), stage.plan->state_bytes);
    return;
  }
  firing.message.assign(said.message());
  const std::uint64_t attached = answer.attached_bytes;
  if (stage.attached == nullptr || attached == 0 || attached > slot.attachment.size()) return;
  stage.attached(stage.self, firing.instance, slot.attachment.data(), attached);
}

void WorkerProcess::give(const LoadedStage& stage, Firing& firing) noexcept {
  WorkerExchange& request = *next_slot().exchange;
  if (!write_request(stage, firing)) request.stage = WorkerExchange::kNoStage;  // which the process answers
  request.asked.store(++given_, std::memory_order_release);
  Doorbell(&link_->memory.header().process_line).ring();
}

WorkerProcess::Outcome WorkerProcess::take(const LoadedStage& stage, Firing& firing) noexcept {
  const auto is_damaged = [&] { return !oldest_slot().is_asked(taken_); };
  const Outcome outcome =
      await(stage.plan->limit_ns, [&] { return oldest_slot().is_answered(taken_) || is_damaged(); });
  if (outcome != Outcome::kAnswered) return outcome;
  if (is_damaged()) {
    kill();
    return Outcome::kDamaged;
  }
  read_answer(stage, firing);
  ++taken_;
  return outcome;
}

// ---- The processes of one worker, one after the other

Status IsolatedRunner::start_process() {
  // One that ended between two firings.
  if (process_ != nullptr && handed_ == 0 && process_->has_ended()) process_.reset();
  if (process_ != nullptr) return {};
  if (isolation_.stopped()) return {Code::kCancelled, "the run has ended"};
  Result<std::unique_ptr<WorkerProcess>> started = isolation_.take();
  if (started.ok()) {
    process_ = std::move(*started);
    return {};
  }
  // A lost peer would be one of the run's.
  const Code code = started.status().code();
  return {code == Code::kExhausted ? code : Code::kKernelFailed, started.status().message()};
}

Status IsolatedRunner::prepare() noexcept {
  return or_no_memory([this] { return start_process(); });
}

Status IsolatedRunner::run_oldest() {
  const LoadedStage& stage = *in_hand_[0].stage;
  Firing& firing = *in_hand_[0].firing;
  const auto failed = [&](Code code, const std::string& why) {
    return Status(code, "kernel '" + stage.plan->kernel + "': " + why);
  };
  for (bool again = false;; again = true) {
    WOA_RETURN_IF_ERROR(start_process());
    const std::size_t most = again ? 1 : count_;  // alone, whatever happens is its own doing
    for (; handed_ < most; ++handed_) process_->give(*in_hand_[handed_].stage, *in_hand_[handed_].firing);
    const WorkerProcess::Outcome outcome = process_->take(stage, firing);
    if (outcome == WorkerProcess::Outcome::kAnswered) return {};
    const std::unique_ptr<WorkerProcess> ended = std::move(process_);
    handed_ = 0;
    if (outcome == WorkerProcess::Outcome::kStopped) return {Code::kCancelled, "the run has ended"};
    if (outcome == WorkerProcess::Outcome::kTooLong)
      return failed(Code::kDeadlineExceeded,
                    "it ran longer than its limit of " + limit_text(*stage.plan) + ", and its process was killed");
    const bool damaged = outcome == WorkerProcess::Outcome::kDamaged;  // maybe by a later one
    if (!again && (damaged || ended->ended_from_outside())) continue;
    if (damaged) return failed(Code::kBrokenContract, "it wrote over the memory that its process shares with the run");
    const std::string how = "its process " + ended->how_it_ended() + (again ? ", twice" : "");
    const std::string strayed = ended->where_it_strayed(*stage.plan, firing);
    return strayed.empty() ? failed(Code::kKernelFailed, how)
                           : failed(Code::kBrokenContract, how + ": the kernel touched memory " + strayed);
  }
}

Firing& IsolatedRunner::take() noexcept {
  const std::uint64_t begin = now_ns();
  Firing& firing = *in_hand_[0].firing;
  firing.code = Code::kOk;
  const Status failed = or_no_memory([&] { return run_oldest(); });
  std::move(in_hand_.begin() + 1, in_hand_.begin() + static_cast<std::ptrdiff_t>(count_), in_hand_.begin());
  --count_;
  handed_ -= handed_ == 0 ? 0 : 1;
  if (failed.ok()) return firing;
  firing.code = failed.code();
  firing.started_ns = begin;
  firing.ended_ns = now_ns();
  firing.message.assign(failed.message());
  return firing;
}

}  // namespace woa
