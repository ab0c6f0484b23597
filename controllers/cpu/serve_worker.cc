#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "controllers/cpu/kernel_runner.h"
#include "controllers/cpu/register.h"
#include "controllers/cpu/worker_memory.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/controller/layout.h"
#include "runtime/plan/plan_file.h"
#include "runtime/transport/idle.h"

namespace woa {
namespace {

constexpr std::uint64_t kParentLookNs = 1'000'000'000;  // for a parent that is gone
constexpr std::size_t kMostGuardedBlocks = 1024;        // of a region: each takes two of the system's 65,530 mappings

// A region of payloads in this process.
struct MappedRegion {
  WorkerRegion plan;
  std::unique_ptr<Mapping> mapping;
  bool guarded = false;  // nobody may touch what lies behind its blocks
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return mapping->bytes(); }
};

// The signal handler reads it; set before the first firing.
struct {
  const std::vector<MappedRegion>* regions = nullptr;
  WorkerHeader* header = nullptr;
} handled;

const WorkerSlot* serving = nullptr;  // the firing of this process; null: it runs none

// Notes which address a kernel touched, and has the signal end the process when it returns.
void note_fault(int signal, siginfo_t* info, void* /*context*/) {
  const auto* const at = static_cast<const std::byte*>(info->si_addr);
  for (const MappedRegion& region : *handled.regions) {
    const std::span<std::byte> bytes = region.bytes();
    if (at < bytes.data() || at >= bytes.data() + bytes.size()) continue;
    handled.header->fault.store(WorkerPlace::make(region.plan.number, static_cast<std::uint64_t>(at - bytes.data())));
  }
  ::raise(signal);  // its handler is the system's again
}

class FaultHandler {
 public:
  FaultHandler(const std::vector<MappedRegion>& regions, WorkerHeader& header) : stack_(kStackBytes) {
    handled = {&regions, &header};
    const stack_t stack{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
    ::sigaltstack(&stack, &stack_before_);
    struct sigaction action {};
    action.sa_sigaction = note_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    for (std::size_t k = 0; k < kSignals.size(); ++k) ::sigaction(kSignals[k], &action, &before_[k]);
  }
  ~FaultHandler() {
    for (std::size_t k = 0; k < kSignals.size(); ++k) ::sigaction(kSignals[k], &before_[k], nullptr);
    ::sigaltstack(&stack_before_, nullptr);
  }
  FaultHandler(const FaultHandler&) = delete;
  FaultHandler& operator=(const FaultHandler&) = delete;

 private:
  static constexpr std::size_t kStackBytes = 64 << 10;
  static constexpr std::array<int, 2> kSignals{SIGSEGV, SIGBUS};
  std::vector<std::byte> stack_;
  stack_t stack_before_{};
  std::array<struct sigaction, kSignals.size()> before_{};
};

class Worker {
 public:
  Worker(const WorkerServer& server, Plan plan, const WorkerMemory& memory)
      : server_(server), memory_(memory), plan_(std::move(plan)) {}

  Status load(const WorkerSetup& setup);
  // Until the thread says so, or is gone.
  void serve();

 private:
  Status map_regions(const WorkerSetup& setup);
  Status load_kernel(const WorkerStage& stage);
  void guard_blocks(MappedRegion& region) noexcept;
  [[nodiscard]] bool await_request(Idle& idle) noexcept;
  Status run_request();
  Status take_request();
  Result<std::uint8_t*> locate(const void* place, std::uint64_t bytes, bool writable) const;
  Status take_inputs(const StagePlan& stage);
  Status take_outputs(const StagePlan& stage);
  // Calls visit(output, port, element) for each output that has memory.
  template <class Visit>
  void each_output(const StagePlan& stage, const Visit& visit);
  [[nodiscard]] const WorkerSlot& slot() const noexcept { return memory_.slot(request_); }
  [[nodiscard]] std::span<std::byte> behind(const woa_output& output) const noexcept;
  Status find_stray_write(const StagePlan& stage);
  Status run(const LoadedStage& stage);
  void answer(const Status& status);

  const WorkerServer& server_;
  const WorkerMemory memory_;
  std::uint64_t request_ = 0;  // that is next, or runs
  Plan plan_;
  std::vector<MappedRegion> regions_;
  std::vector<ProgramKernel> program_kernels_;
  std::vector<std::unique_ptr<KernelLibrary>> kernels_;
  std::vector<LoadedStage> stages_;  // by number in the plan
  KernelRunner runner_;
  Firing firing_;
  std::vector<woa_input> inputs_, elements_in_;
  std::vector<woa_output> outputs_, elements_out_;
  std::vector<std::byte> state_;
};

// Pages behind blocks, where the system's pages are as small as a guard.
void Worker::guard_blocks(MappedRegion& region) noexcept {
  const WorkerRegion& of = region.plan;
  if (!of.has_guards || !of.writable || page_bytes() > kGuardBytes) return;
  if (of.block_step == 0 || of.bytes / of.block_step > kMostGuardedBlocks) return;
  region.guarded = true;
  for (std::uint64_t end = of.block_step; end <= of.bytes; end += of.block_step)
    region.guarded =
        ::mprotect(region.bytes().data() + end - kGuardBytes, kGuardBytes, PROT_NONE) == 0 && region.guarded;
}

Status Worker::map_regions(const WorkerSetup& setup) {
  int last = kSetupDescriptor;
  for (const WorkerRegion& of : setup.regions) {
    const int descriptor = static_cast<int>(of.descriptor);
    last = std::max(last, descriptor);
    WOA_ASSIGN_OR_RETURN(auto mapping,
                         map_pages(descriptor, of.bytes, of.writable ? Access::kReadWrite : Access::kRead, of.offset));
    regions_.push_back({of, std::move(mapping)});
    guard_blocks(regions_.back());
  }
  for (int descriptor = kMemoryDescriptor; descriptor <= last; ++descriptor) ::close(descriptor);
  return {};
}

Status Worker::load_kernel(const WorkerStage& of) {
  StagePlan& stage = plan_.stages[of.id];
  if (!of.sent.empty()) {
    if (server_.receive == nullptr) return {Code::kUnsupported, "this worker program knows no kernels of a program"};
    WOA_ASSIGN_OR_RETURN(program_kernels_.emplace_back(), server_.receive(of.sent));
    stage.program_kernel = static_cast<std::uint32_t>(program_kernels_.size());
  }
  const std::array<std::filesystem::path, 1> folders{std::filesystem::path(of.folder).parent_path()};
  WOA_ASSIGN_OR_RETURN(KernelLibrary loaded,
                       KernelLibrary::load(stage, folders, server_.read_declaration, program_kernels_));
  kernels_.push_back(std::make_unique<KernelLibrary>(std::move(loaded)));
  const KernelLibrary& kernel = *kernels_.back();
  const std::string place = "stage '" + stage.name + "', kernel '" + stage.kernel + "': ";
  if (kernel.kernel() == nullptr || kernel.kernel()->run == nullptr)
    return {Code::kUnsupported, place + "it has no cpu variant to run"};
  if (stage.stateful != Stateful::kNo && kernel.kernel()->state_bytes > stage.state_bytes)
    return {Code::kBrokenContract, place + "its state has " + std::to_string(kernel.kernel()->state_bytes) +
                                       " bytes, and `state` in its kernel.yaml says " +
                                       std::to_string(stage.state_bytes)};
  stages_[of.id] = {of.id, &stage, kernel.kernel(), kernel.self(), kernel.folder().string()};
  return {};
}

Status Worker::load(const WorkerSetup& setup) {
  stages_.resize(plan_.stages.size());
  WOA_RETURN_IF_ERROR(map_regions(setup));
  for (const WorkerStage& stage : setup.stages) WOA_RETURN_IF_ERROR(load_kernel(stage));
  return runner_.reserve(stages_, server_.guarded);
}

// False: the process is to end.
bool Worker::await_request(Idle& idle) noexcept {
  const WorkerHeader& header = memory_.header();
  std::uint64_t sleeps = idle.counts().sleeps;
  const auto is_ending = [&] { return header.stage_of_life() == WorkerLife::kEnding; };
  const auto has_something = [&] { return slot().is_asked(request_) || is_ending(); };
  while (!has_something()) {
    idle.idle(false, has_something);
    if (std::exchange(sleeps, idle.counts().sleeps) != sleeps && ::getppid() != header.parent) return false;
  }
  idle.idle(true, has_something);
  return !is_ending();
}

void Worker::serve() {
  WorkerHeader& header = memory_.header();
  const FaultHandler handler(regions_, header);
  header.tell_thread(WorkerLife::kServing);
  IdleOptions waits = header.has_processor != 0 ? IdleOptions() : kHelperWaits;
  waits.sleep_ns = kParentLookNs;
  Idle idle(Doorbell(&header.process_line), waits);
  for (; await_request(idle); ++request_) {
    serving = &slot();
    const std::uint64_t begin = now_ns();
    const Status status = or_no_memory([&] { return run_request(); });
    serving = nullptr;
    answer(status);
    // Waking the thread takes longer than a brief kernel. So one wake-up serves several answers, and comes while this
    // process has requests to go on with.
    const std::uint64_t later = request_ + kWorkerSlots / 2;
    const bool has_many = memory_.slot(later).is_asked(later);
    if (!has_many || now_ns() - begin >= kBriefFiringNs) Doorbell(&header.thread_line).ring();
  }
}

Status Worker::run_request() {
  const std::uint32_t stage = slot().exchange->stage;
  if (stage < stages_.size() && stages_[stage].kernel != nullptr) return run(stages_[stage]);
  return {Code::kInternal, stage == WorkerExchange::kNoStage ? "the plan says less room for inline payloads than came"
                                                             : "the thread asked for a stage that is not here"};
}

// The memory of a payload. kInternal: it is none of this process's.
Result<std::uint8_t*> Worker::locate(const void* encoded, std::uint64_t bytes, bool writable) const {
  const WorkerPlace place(reinterpret_cast<std::uintptr_t>(encoded));
  if (!place.is_somewhere()) return static_cast<std::uint8_t*>(nullptr);
  const auto within = [&](std::uint64_t room) { return place.offset() <= room && bytes <= room - place.offset(); };
  if (place.region() == WorkerPlace::kInline) {
    if (!writable && within(slot().inline_payloads.size())) return slot().inline_payloads.data() + place.offset();
  } else {
    for (const MappedRegion& region : regions_) {
      if (region.plan.number != place.region() || !within(region.plan.bytes) || (writable && !region.plan.writable))
        continue;
      return reinterpret_cast<std::uint8_t*>(region.bytes().data()) + place.offset();
    }
  }
  return {Code::kInternal, "the thread named memory that this process has not mapped"};
}

Status Worker::take_inputs(const StagePlan& stage) {
  const std::span<const woa_input> given = slot().inputs;
  inputs_.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(stage.inputs.size()));
  std::size_t elements = 0;
  for (const woa_input& input : inputs_) elements += input.count;
  if (elements > given.size() - inputs_.size()) return {Code::kInternal, "the thread named too many elements"};
  elements_in_.assign(given.begin() + static_cast<std::ptrdiff_t>(inputs_.size()),
                      given.begin() + static_cast<std::ptrdiff_t>(inputs_.size() + elements));
  woa_input* next = elements_in_.data();
  const auto place = [&](woa_input& input) -> Status {
    WOA_ASSIGN_OR_RETURN(input.data, locate(input.data, input.bytes, false));
    return {};
  };
  for (std::size_t p = 0; p < inputs_.size(); ++p) {
    WOA_RETURN_IF_ERROR(place(inputs_[p]));
    if (stage.inputs[p].gather == 0) continue;
    inputs_[p].elements = next;
    for (std::uint32_t e = 0; e < inputs_[p].count; ++e) WOA_RETURN_IF_ERROR(place(*next++));
  }
  return {};
}

Status Worker::take_outputs(const StagePlan& stage) {
  const std::span<const woa_output> given = slot().outputs;
  std::size_t elements = 0;
  for (const OutputPortPlan& port : stage.outputs) elements += port.many;
  const auto first = given.begin() + static_cast<std::ptrdiff_t>(stage.outputs.size());
  outputs_.assign(given.begin(), first);
  elements_out_.assign(first, first + static_cast<std::ptrdiff_t>(elements));
  woa_output* next = elements_out_.data();
  const auto place = [&](woa_output& output) -> Status {
    WOA_ASSIGN_OR_RETURN(output.data, locate(output.data, output.capacity, true));
    return {};
  };
  for (std::size_t p = 0; p < outputs_.size(); ++p) {
    WOA_RETURN_IF_ERROR(place(outputs_[p]));
    if (stage.outputs[p].many == 0) continue;
    outputs_[p].elements = next;
    for (std::uint32_t e = 0; e < stage.outputs[p].many; ++e) WOA_RETURN_IF_ERROR(place(*next++));
  }
  return {};
}

Status Worker::take_request() {
  const WorkerExchange& request = *slot().exchange;
  const StagePlan& stage = plan_.stages[request.stage];
  WOA_RETURN_IF_ERROR(take_inputs(stage));
  WOA_RETURN_IF_ERROR(take_outputs(stage));
  firing_.instance = request.instance;
  firing_.tag = request.tag;
  firing_.stage = request.stage;
  firing_.timed = request.timed;
  firing_.inputs = inputs_;
  firing_.outputs = outputs_;
  firing_.state = nullptr;
  if (stage.stateful == Stateful::kNo) return {};
  state_.resize(stage.state_bytes);
  std::memcpy(state_.data(), slot().state.data(), state_.size());
  firing_.state = state_.data();
  return {};
}

template <class Visit>
void Worker::each_output(const StagePlan& stage, const Visit& visit) {
  for (std::size_t p = 0; p < outputs_.size(); ++p) {
    if (outputs_[p].data != nullptr) visit(outputs_[p], p, 0);
    for (std::uint32_t e = 0; e < stage.outputs[p].many; ++e) visit(outputs_[p].elements[e], p, e);
  }
}

// Bytes between an output and the guard behind its block, and the first ones of a guard that may be touched.
std::span<std::byte> Worker::behind(const woa_output& output) const noexcept {
  auto* const data = reinterpret_cast<std::byte*>(output.data);
  for (const MappedRegion& region : regions_) {
    const std::span<std::byte> bytes = region.bytes();
    if (data < bytes.data() || data >= bytes.data() + bytes.size()) continue;
    if (!region.plan.has_guards || region.plan.block_step == 0) return {};
    const auto offset = static_cast<std::uint64_t>(data - bytes.data());
    const std::uint64_t guard = (offset / region.plan.block_step + 1) * region.plan.block_step - kGuardBytes;
    const std::uint64_t end = guard + (region.guarded ? 0 : kPayloadAlignment), begin = offset + output.capacity;
    return begin < end ? bytes.subspan(begin, end - begin) : std::span<std::byte>();
  }
  return {};
}

Status Worker::find_stray_write(const StagePlan& stage) {
  Status found;
  each_output(stage, [&](const woa_output& output, std::size_t p, std::uint32_t element) {
    const auto touched = [](std::byte byte) { return byte != std::byte{kUntouched}; };
    if (!found.ok() || std::ranges::none_of(behind(output), touched)) return;
    found = wrote_outside(stage.outputs[p], element, "behind", output.capacity);
  });
  return found;
}

Status Worker::run(const LoadedStage& stage) {
  WOA_RETURN_IF_ERROR(take_request());
  // A guard finds by itself what is written there.
  if (!server_.guarded)
    each_output(*stage.plan, [&](const woa_output& output, std::size_t, std::uint32_t) {
      std::ranges::fill(behind(output), std::byte{kUntouched});
    });
  firing_.message.clear();
  runner_.run(stage, firing_);
  if (!server_.guarded) WOA_RETURN_IF_ERROR(find_stray_write(*stage.plan));
  return firing_.code == Code::kOk ? Status() : Status(firing_.code, firing_.message);
}

void Worker::answer(const Status& status) {
  const WorkerSlot& to = slot();
  for (std::size_t p = 0; p < outputs_.size(); ++p) copy_answer(outputs_[p], to.outputs[p]);
  for (std::size_t e = 0; e < elements_out_.size(); ++e) copy_answer(elements_out_[e], to.outputs[outputs_.size() + e]);
  if (!state_.empty() && firing_.state != nullptr) std::memcpy(to.state.data(), state_.data(), state_.size());
  to.exchange->said.say(status);
  to.exchange->started_ns = firing_.started_ns;
  to.exchange->ended_ns = firing_.ended_ns;
  to.exchange->answered.store(request_ + 1, std::memory_order_release);
}

// Ends with its parent. No core files: a limit of one byte holds for programs that the system pipes them to, too.
void become_worker(const WorkerHeader& header) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != header.parent) ::_exit(2);
  ::signal(SIGINT, SIG_IGN);  // Ctrl-C ends the run, and that ends this process
  ::signal(SIGTERM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit core{1, 1};
  ::setrlimit(RLIMIT_CORE, &core);
  ::sched_setaffinity(0, sizeof header.processors, &header.processors);
  set_clock_ahead(header.clock_ahead_ns);
}

Result<WorkerSetup> read_setup(const WorkerHeader& header) {
  WOA_ASSIGN_OR_RETURN(const auto mapping, map_pages(kSetupDescriptor, header.setup_bytes, Access::kRead));
  const std::span<const std::byte> bytes = mapping->bytes().first(header.setup_bytes);
  WorkerSetup setup;
  if (!message::decode({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, setup))
    return {Code::kDataLoss, "the setup of a worker process cannot be read"};
  return setup;
}

Status serve(const WorkerServer& server, const WorkerHeader& header, std::span<std::byte> memory) {
  WOA_ASSIGN_OR_RETURN(const WorkerSetup setup, read_setup(header));
  WOA_ASSIGN_OR_RETURN(Plan plan, parse_plan(std::as_bytes(std::span(setup.plan))));
  const auto is_known = [&](const WorkerStage& stage) { return stage.id < plan.stages.size(); };
  if (!std::ranges::all_of(setup.stages, is_known)) return {Code::kDataLoss, "a stage that the plan lacks"};
  const WorkerShape shape = WorkerShape::of(plan, setup.stages);
  if (shape.bytes() != header.bytes) return {Code::kDataLoss, "the thread of a worker process is of another version"};
  Worker worker(server, std::move(plan), WorkerMemory(memory, shape));
  WOA_RETURN_IF_ERROR(worker.load(setup));
  worker.serve();
  return {};
}

}  // namespace

void attach_to_failure(std::span<const std::byte> bytes) noexcept {
  if (serving == nullptr || bytes.size() > serving->attachment.size()) return;
  std::memcpy(serving->attachment.data(), bytes.data(), bytes.size());
  serving->exchange->attached_bytes = bytes.size();
}

int serve_worker(const WorkerServer& server) {
  struct stat info {};
  if (::fstat(kMemoryDescriptor, &info) != 0 || info.st_size < static_cast<off_t>(sizeof(WorkerHeader))) {
    log(LogLevel::kError, "a worker process was started without a run; `woa run` starts them by itself");
    return 2;
  }
  const auto bytes = static_cast<std::size_t>(info.st_size);
  const auto mapping = map_pages(kMemoryDescriptor, bytes, Access::kReadWrite);
  if (!mapping.ok()) return 2;
  const std::span<std::byte> memory = (*mapping)->bytes();
  auto& header = *reinterpret_cast<WorkerHeader*>(memory.data());
  become_worker(header);
  const Status status = or_no_memory([&] { return serve(server, header, memory); });
  if (status.ok()) return 0;
  header.failure.say(status);
  header.tell_thread(WorkerLife::kFailed);
  return 1;
}

}  // namespace woa
