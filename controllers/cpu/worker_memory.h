// The memory that a worker's thread shares with its process: requests one way, answers the other, in the same order.
//
// Payloads are not in it: the process maps the run's regions, and a request names places in them. Payloads that came
// behind their headers travel in it. Neither side trusts what the other writes: each word is read once, and then
// checked.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/backend.h"
#include "runtime/plan/message.h"

namespace woa {

// A region of payloads that the process maps.
struct WorkerRegion {
  std::uint32_t number = 0;      // as packets name it
  std::uint32_t descriptor = 0;  // of the process
  std::uint64_t offset = 0, bytes = 0;
  bool writable = false, has_guards = false;
  std::uint64_t block_step = 0;  // as in BackendMapping
};

struct WorkerStage {
  std::uint32_t id = 0;  // in the plan
  std::string folder;    // of its kernel.yaml
  std::string sent;      // of a kernel of the program (ProgramKernel)
};

// A process is told this when it starts: the same for all processes of a controller.
struct WorkerSetup {
  std::string plan;  // as in a plan file
  std::vector<WorkerStage> stages;
  std::vector<WorkerRegion> regions;
};

void fields(auto& f, message::Like<WorkerRegion> auto& m) {
  f(1, "number", m.number);
  f(2, "descriptor", m.descriptor);
  f(3, "offset", m.offset);
  f(4, "bytes", m.bytes);
  f(5, "writable", m.writable);
  f(6, "has_guards", m.has_guards);
  f(7, "block_step", m.block_step);
}
void fields(auto& f, message::Like<WorkerStage> auto& m) {
  f(1, "id", m.id);
  f(2, "folder", message::AnyText{m.folder});
  f(3, "sent", message::AnyText{m.sent});
}
void fields(auto& f, message::Like<WorkerSetup> auto& m) {
  f(1, "plan", message::AnyText{m.plan});
  f(2, "stages", m.stages);
  f(3, "regions", m.regions);
}

// Descriptors of a worker process: its memory, then the setup, then those of its regions.
inline constexpr int kMemoryDescriptor = 3, kSetupDescriptor = 4, kFirstRegionDescriptor = 5;

// Requests that a process may have: it goes on with the others while the thread is woken for an answer.
inline constexpr std::size_t kWorkerSlots = 8;

// The process says this of a firing, or of its start. It may write anything, and go on writing.
struct WorkerSaid {
  std::uint32_t code = 0;
  char message[512] = {};
  void say(const Status& status) noexcept;
  // kBrokenContract for a code that there is not.
  [[nodiscard]] Status hear() const;
};

enum class WorkerLife : std::uint32_t {
  kStarting,  // it loads its kernels
  kFailed,    // it could not, and ends
  kServing,
  kEnding  // the thread says so
};

struct WorkerHeader {
  DoorbellLine process_line, thread_line;  // each side sleeps on its own
  std::atomic<std::uint32_t> life{};       // a WorkerLife
  // Before the process starts.
  pid_t parent = 0;
  std::int64_t clock_ahead_ns = 0;
  std::uint64_t setup_bytes = 0, bytes = 0;  // of the setup, and of this memory
  cpu_set_t processors{};                    // those of the thread
  std::uint32_t has_processor = 0;           // of its own beside the thread's, which it may wait on
  // From the process.
  WorkerSaid failure;                   // of its start
  std::atomic<std::uint64_t> fault{0};  // the address that a kernel touched and may not; 0: none

  [[nodiscard]] WorkerLife stage_of_life() const noexcept {
    return static_cast<WorkerLife>(life.load(std::memory_order_acquire));
  }
  // Says so to the thread, or to the process.
  void tell_thread(WorkerLife now) noexcept;
  void tell_process(WorkerLife now) noexcept;
};

// A request, and then its answer. Between `asked` and `answered` all else of the slot is the process's.
struct alignas(64) WorkerExchange {
  static constexpr std::uint32_t kNoStage = ~std::uint32_t{0};  // the request did not fit

  // Requests are numbered from 1 on. The thread writes the one, the process the other.
  std::atomic<std::uint64_t> asked{0}, answered{0};
  bool timed = false;
  std::uint32_t stage = 0;
  std::uint64_t instance = 0, tag = 0;
  // The answer.
  std::uint64_t started_ns = 0, ended_ns = 0;
  std::uint64_t attached_bytes = 0;  // to a failure
  WorkerSaid said;
};

// Takes over what a kernel has set of an output.
void copy_answer(const woa_output& from, woa_output& to) noexcept;

inline constexpr std::size_t kMostAttached = 64 << 10;

// Room for the largest firing of the isolated stages of a controller.
struct WorkerShape {
  std::size_t inputs = 0, outputs = 0;  // views, those of elements included
  std::size_t inline_bytes = 0, state_bytes = 0, attached = 0;
  static WorkerShape of(const Plan& plan, std::span<const WorkerStage> stages);
  [[nodiscard]] std::size_t bytes() const noexcept;  // of the memory
};

struct WorkerSlot {
  WorkerExchange* exchange = nullptr;
  // By port, then the elements of all ports that gather or scatter. `data` holds a place in place of an address.
  std::span<woa_input> inputs;
  std::span<woa_output> outputs;
  std::span<std::uint8_t> inline_payloads, state;
  std::span<std::uint8_t> attachment;  // bytes that a failed firing left, for whoever asked for it

  [[nodiscard]] bool is_asked(std::uint64_t request) const noexcept {
    return exchange->asked.load(std::memory_order_acquire) == request + 1;
  }
  [[nodiscard]] bool is_answered(std::uint64_t request) const noexcept {
    return exchange->answered.load(std::memory_order_acquire) == request + 1;
  }
};

// The parts of such memory, which stays mapped while this is used.
class WorkerMemory {
 public:
  WorkerMemory(std::span<std::byte> memory, const WorkerShape& shape) noexcept;

  [[nodiscard]] WorkerHeader& header() const noexcept { return *header_; }
  // Requests take the slots in turns.
  [[nodiscard]] const WorkerSlot& slot(std::uint64_t request) const noexcept { return slots_[request % kWorkerSlots]; }

 private:
  WorkerHeader* header_;
  std::array<WorkerSlot, kWorkerSlots> slots_;
};

// A payload lies in a region, by number and offset; or in the inline payloads, by offset; or nowhere.
class WorkerPlace {
 public:
  static constexpr std::uint32_t kInline = 0x10000;  // above any region
  static constexpr std::uint64_t kNowhere = 0;

  static std::uint64_t make(std::uint32_t region, std::uint64_t offset) noexcept {
    return std::uint64_t{region + 1} << kShift | offset;
  }
  explicit WorkerPlace(std::uint64_t place) noexcept : place_(place) {}
  [[nodiscard]] bool is_somewhere() const noexcept { return place_ != kNowhere; }
  [[nodiscard]] std::uint32_t region() const noexcept { return static_cast<std::uint32_t>(place_ >> kShift) - 1; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return place_ & ((std::uint64_t{1} << kShift) - 1); }

 private:
  static constexpr unsigned kShift = 40;  // a region stays under 256 GiB
  std::uint64_t place_;
};

}  // namespace woa
