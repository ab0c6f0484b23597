// The memory that a worker's thread shares with its process: requests one way, answers the other, one at a time.
//
// Payloads are not in it: the process maps the run's regions, and a request names places in them. Payloads that came
// behind their headers travel in it. Neither side trusts what the other writes: each word is read once, and then
// checked.
#pragma once

#include <sched.h>
#include <sys/types.h>

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

// Whose turn it is: whoever has it may read and write all else.
enum class WorkerTurn : std::uint32_t {
  kStarting,  // the process loads its kernels
  kFailed,    // it could not, and ends; code and message say why
  kThread,
  kProcess,
  kEnd  // the process is to end
};

// Descriptors of a worker process: its memory, then the setup, then those of its regions.
inline constexpr int kMemoryDescriptor = 3, kSetupDescriptor = 4, kFirstRegionDescriptor = 5;

struct WorkerHeader {
  DoorbellLine process_line, thread_line;  // each side sleeps on its own
  std::atomic<std::uint32_t> turn{};       // a WorkerTurn
  // Before the process starts.
  pid_t parent = 0;
  std::int64_t clock_ahead_ns = 0;
  std::uint64_t setup_bytes = 0, bytes = 0;  // of the setup, and of this memory
  cpu_set_t processors{};                    // those of the thread
  std::uint32_t has_processor = 0;           // of its own beside the thread's, which it may wait on
  // A request.
  std::uint32_t stage = 0, timed = 0;
  std::uint64_t instance = 0, tag = 0;
  // An answer.
  std::uint32_t code = 0;
  std::uint64_t started_ns = 0, ended_ns = 0;
  std::uint64_t attached_bytes = 0;     // to a failure
  std::atomic<std::uint64_t> fault{0};  // the address that a kernel touched and may not; 0: none
  char message[512] = {};

  // What a side says of a firing, or of its start, and what the other hears: kBrokenContract for a code that there is
  // not.
  void say(const Status& status) noexcept;
  [[nodiscard]] Status said() const;
  // Hands over the turn, and wakes whoever has it now.
  void give_to_process(WorkerTurn to) noexcept;
  void give_to_thread(WorkerTurn to) noexcept;
};

// Takes over what a kernel has set of an output.
void copy_answer(const woa_output& from, woa_output& to) noexcept;

inline constexpr std::size_t kMostAttached = 64 << 10;

// Room for the largest firing of the isolated stages of a controller.
struct WorkerShape {
  std::size_t inputs = 0, outputs = 0;  // views, those of elements included
  std::size_t inline_bytes = 0, state_bytes = 0, attached = 0;
  static WorkerShape of(const Plan& plan, std::span<const WorkerStage> stages);
  [[nodiscard]] std::size_t bytes() const noexcept;
};

// The parts of such memory, which stays mapped while this is used.
class WorkerMemory {
 public:
  WorkerMemory(std::span<std::byte> memory, const WorkerShape& shape) noexcept;

  [[nodiscard]] WorkerHeader& header() const noexcept { return *header_; }
  // By port, then the elements of all ports that gather or scatter. `data` holds a place in place of an address.
  [[nodiscard]] std::span<woa_input> inputs() const noexcept { return inputs_; }
  [[nodiscard]] std::span<woa_output> outputs() const noexcept { return outputs_; }
  [[nodiscard]] std::span<std::uint8_t> inline_payloads() const noexcept { return inline_; }
  [[nodiscard]] std::span<std::uint8_t> state() const noexcept { return state_; }
  // Bytes that a failed firing left, for whoever asked for it.
  [[nodiscard]] std::span<std::uint8_t> attachment() const noexcept { return attachment_; }
  [[nodiscard]] WorkerTurn turn() const noexcept {
    return static_cast<WorkerTurn>(header_->turn.load(std::memory_order_acquire));
  }

 private:
  WorkerHeader* header_;
  std::span<woa_input> inputs_;
  std::span<woa_output> outputs_;
  std::span<std::uint8_t> inline_, state_, attachment_;
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
