// Firings in processes: what a kernel does there to memory, signals or the process ends one firing alone.
//
// A worker's thread hands firings to a process of its own, a few at once where they are brief, and waits for the
// answers. The process has the payloads mapped, so nothing but inline payloads and state is copied. One that ended is
// replaced for the next firing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "controllers/cpu/worker_memory.h"
#include "runtime/base/children.h"
#include "runtime/controller/backend.h"
#include "runtime/transport/idle.h"

namespace woa {

class WorkerProcess;

// All worker processes of a controller have this in common. Any thread may start one.
class Isolation {
 public:
  // `program`: calls serve_worker(). `stages`: of the controller; those that are isolated count. `workers`: of it,
  // which may each have a process.
  Isolation(Children::Program program, const Plan& plan, std::span<const LoadedStage> stages, std::uint32_t workers);
  ~Isolation();
  Isolation(const Isolation&) = delete;
  Isolation& operator=(const Isolation&) = delete;

  // Once, with the mappings of Backend::map(). Starts the first process, and so finds what no process can load, unless
  // all firings may be brief enough for this process. Errors are those of WorkerProcess::start().
  Status begin(std::span<const BackendMapping> mappings);
  // A process that waits for firings: the first one, or a new one.
  Result<std::unique_ptr<WorkerProcess>> take();
  // From now on nobody waits for a firing: its process is killed.
  void stop() noexcept { stopped_.store(true); }
  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

 private:
  friend class WorkerProcess;
  struct Region {
    std::span<const std::byte> bytes;  // here
    std::uint32_t number = 0;
  };
  // The place of payload data that a process maps; kNowhere: it maps none.
  [[nodiscard]] std::uint64_t place_of(const std::uint8_t* data) const noexcept;
  Result<std::unique_ptr<WorkerProcess>> start();
  Status write_setup(std::span<const BackendMapping> mappings);

  const Children::Program program_;
  const Plan& plan_;
  const bool have_processors_;  // for the thread and the process of each worker at once, and one for others
  std::vector<WorkerStage> stages_;
  bool is_needed_ = false;  // some stage is never run in this process
  WorkerShape shape_;
  std::shared_ptr<SharedSegment> setup_;
  std::vector<int> descriptors_;  // of the regions; their owner's
  std::vector<Region> regions_;   // by address
  std::atomic<bool> stopped_{false};
  Children children_;  // outlives the processes
  std::mutex mutex_;   // of spare_
  std::unique_ptr<WorkerProcess> spare_;
};

// A worker process, used by one thread at a time.
class WorkerProcess {
 public:
  // Blocks until the process has loaded the kernels. kExhausted, kUnavailable: it cannot be started, or ended. Else the
  // error of KernelLibrary::load() there.
  static Result<std::unique_ptr<WorkerProcess>> start(Isolation& isolation);
  ~WorkerProcess();  // lets it end, or kills it if it has firings
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Hands over a firing. It has kWorkerSlots at most, and takes them in turn.
  void give(const LoadedStage& stage, Firing& firing) noexcept;
  enum class Outcome : std::uint8_t { kAnswered, kEnded, kTooLong, kStopped, kDamaged };
  // Awaits the firing that was given first, and fills in what a back-end answers. kTooLong: it took longer than the
  // stage's limit. kDamaged: the process wrote over what the thread had written. After any outcome but kAnswered the
  // process has ended, all that it had are as they were, and the outputs of this one hold anything.
  [[nodiscard]] Outcome take(const LoadedStage& stage, Firing& firing) noexcept;
  [[nodiscard]] bool has_ended() const noexcept;
  // How it ended, for a message: "was ended by signal 11 (Segmentation fault)".
  [[nodiscard]] std::string how_it_ended() const;
  // Somebody outside ended it: SIGKILL or SIGTERM.
  [[nodiscard]] bool ended_from_outside() const noexcept;
  // The address that a kernel touched last and may not, as a port of `firing`: "behind output 'out'"; empty: none.
  [[nodiscard]] std::string where_it_strayed(const StagePlan& stage, const Firing& firing) const;

 private:
  struct Link;  // with the thread that watches it
  WorkerProcess(Isolation& isolation, std::shared_ptr<Link> link) noexcept;
  [[nodiscard]] const WorkerSlot& next_slot() const noexcept;    // to give
  [[nodiscard]] const WorkerSlot& oldest_slot() const noexcept;  // to take
  [[nodiscard]] bool write_request(const LoadedStage& stage, Firing& firing) noexcept;
  [[nodiscard]] std::optional<std::uint64_t> place(const std::uint8_t* data, std::uint64_t bytes,
                                                   std::size_t& inline_used) noexcept;
  void read_answer(const LoadedStage& stage, Firing& firing) noexcept;
  template <class Answered>
  [[nodiscard]] Outcome await(std::uint64_t limit_ns, const Answered& answered) noexcept;
  void kill() noexcept;  // blocks until it has ended
  void tell_if_stopped() noexcept;
  Status await_start();

  Isolation& isolation_;
  std::shared_ptr<Link> link_;
  Idle idle_;
  std::uint64_t given_ = 0, taken_ = 0;
  pid_t pid_ = -1;
  bool stop_told_ = false;
};

// Runs firings of isolated stages for one worker, in the order in which they are given.
class IsolatedRunner {
 public:
  explicit IsolatedRunner(Isolation& isolation) noexcept : isolation_(isolation) {}
  // Needs room.
  void give(const LoadedStage& stage, Firing& firing) noexcept { in_hand_[count_++] = {&stage, &firing}; }
  [[nodiscard]] bool has_any() const noexcept { return count_ != 0; }
  [[nodiscard]] bool has_room() const noexcept { return count_ < in_hand_.size(); }
  // Starts the process if there is none. Blocks. Errors are those of a firing that gets no process.
  Status prepare() noexcept;
  // Once prepare() has failed: a firing that was given and does not run; null: there is none.
  [[nodiscard]] Firing* give_back() noexcept { return count_ == 0 ? nullptr : in_hand_[--count_].firing; }
  // Awaits the firing that was given first, and fills in what a back-end answers. A process that somebody outside
  // ended, or whose answers were written over, costs a second try. Blocks.
  Firing& take() noexcept;
  void end() noexcept { process_.reset(); }  // the process, if there is one

 private:
  struct Given {
    const LoadedStage* stage = nullptr;
    Firing* firing = nullptr;
  };
  Status start_process();
  Status run_oldest();
  Isolation& isolation_;
  std::unique_ptr<WorkerProcess> process_;
  std::array<Given, kWorkerSlots> in_hand_{};
  std::size_t count_ = 0, handed_ = 0;  // of these the process has the first ones
};

}  // namespace woa
