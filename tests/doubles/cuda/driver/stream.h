// Streams: a thread each, with a queue of operations and seeded delays. Nothing orders two streams but events and the
// host. The queue hands operations over without a lock, so that ThreadSanitizer takes no order from it that a real
// driver does not give.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "controllers/gpu/cuda/cuda_api.h"
#include "tests/doubles/cuda/driver/memory.h"
#include "tests/doubles/cuda/ptx/interpreter.h"

namespace woa::cuda_double {

// Stores that the device sees already, and the host does not yet.
class Late {
 public:
  void add(std::unique_ptr<ptx::LateStores> stores);
  void apply();  // does nothing more than once
  void drop();   // none of them ever happens

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ptx::LateStores>> stores_;
};

// One cuEventRecord: what it will have recorded.
struct Recording {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::chrono::steady_clock::time_point at;
  std::vector<std::shared_ptr<Late>> late;  // which a wait for this event passes on
};

enum class Kind { kKernel, kCopyToDevice, kCopyToHost, kWriteValue, kHostFunction, kRecord, kWait };

class StreamState;

struct Operation {
  Kind kind = Kind::kKernel;
  Uses uses;
  // May end the uses itself: before a store that tells the host so.
  std::function<void(StreamState&, Uses&)> run;
};

class StreamState {
 public:
  StreamState(ContextState& context, std::uint64_t seed);
  ~StreamState() { join(); }

  // By the host.
  void push(Kind kind, Uses uses, std::function<void(StreamState&, Uses&)> run);
  [[nodiscard]] bool idle() const;  // everything that was pushed has ended, and the host sees it
  void wait_idle() const;
  void close();  // the thread ends when the queue is empty
  void join();
  [[nodiscard]] bool storing() const { return storing_.load(); }
  [[nodiscard]] bool resident() const;  // a kernel runs for longer than it said

  // By operations, on the stream's thread.
  ContextState& context() { return context_; }
  std::shared_ptr<Late> late();  // to add to
  void see_late();               // what the stream has written is visible to the host, and so to all
  std::vector<std::shared_ptr<Late>> recorded_late();  // until now
  void add_late(const std::vector<std::shared_ptr<Late>>& more);
  void delay();
  std::uint64_t random() { return random_(); }
  void kernel_begins(std::chrono::nanoseconds resident_after);
  void kernel_ends();

 private:
  struct Node {
    std::unique_ptr<Operation> operation;
    std::atomic<Node*> next{nullptr};
  };

  void work();
  std::unique_ptr<Operation> take();
  void dispatch(std::unique_ptr<Operation> operation);
  void execute(Operation& operation);
  [[nodiscard]] bool holds(Kind kind) const;
  [[nodiscard]] bool frees(Kind kind) const;
  void free_held();
  void settle();
  void drop_late();

  ContextState& context_;
  std::mutex push_mutex_;  // of hosts' threads alone
  Node* last_;             // pushed last
  Node* first_;            // taken last: empty
  std::atomic<std::uint32_t> pushes_{0};
  std::uint64_t pushed_ = 0;  // under push_mutex_
  std::atomic<std::uint64_t> published_{0}, ended_{0};
  std::atomic<bool> closing_{false}, storing_{false}, has_late_{false};
  std::atomic<std::int64_t> resident_from_ns_{0};  // 0: no kernel runs
  std::vector<std::shared_ptr<Late>> late_;
  bool late_recorded_ = false;                    // the last of them: no more is added to it
  std::vector<std::unique_ptr<Operation>> held_;  // by an ignored order
  std::mt19937_64 random_;
  std::thread thread_;
};

}  // namespace woa::cuda_double
