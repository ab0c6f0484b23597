// A loaded backend and firings for it, as a controller would make them.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/sanitizers.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/kernel_library.h"
#include "runtime/transport/doorbell.h"
#include "tests/cts/backend/row.h"

namespace woa::test {

// Stages of the rig's plan. All have one input and one output of at most kMaxBytes, except kNarrow's output. Only plans
// for back-ends with resident workers have kStay.
inline constexpr std::uint32_t kCopy = 2;    // bytes
inline constexpr std::uint32_t kInvert = 3;  // bytes
inline constexpr std::uint32_t kNarrow = 4;  // copy of bytes into an output of at most kNarrowBytes
inline constexpr std::uint32_t kStay = 5;    // kInvert by a resident worker, if all of its memory is registered
#if defined(WOA_THREAD_SANITIZER) || defined(WOA_ADDRESS_SANITIZER)
inline constexpr std::uint64_t kMaxBytes = 1 << 17;  // interpreted kernels take a hundred times as long there
#else
inline constexpr std::uint64_t kMaxBytes = 1 << 20;
#endif
inline constexpr std::uint64_t kNarrowBytes = 64;

bool has_workers(const BackendRow& row);

// How long a test waits for what must come. WOA_CTS_PATIENCE in the environment has the seconds; 60 by default.
std::chrono::seconds patience();

// A controller's plan that sends graph inputs through each of the stages above to the sink.
Plan rig_plan(const BackendRow& row);

class Rig;

// A firing that owns its memory. Not movable: the backend keeps its address. A case that fails may leave it under way:
// then the rig's back-end ends before the memory does.
struct TestFiring : Firing {
  TestFiring(Rig& rig, std::uint32_t stage_id, std::span<const std::uint8_t> data, std::uint32_t number);
  ~TestFiring();
  TestFiring(const TestFiring&) = delete;
  TestFiring& operator=(const TestFiring&) = delete;
  std::span<const std::uint8_t> result() const;  // of the output port
  // Lets the data lie in these blocks, of memory that the back-end was shown.
  void lie_at(std::span<std::byte> in, std::span<std::byte> out);
  // Lets a port's data lie in a block of the device.
  void read_in_device(MemoryKind kind, std::uint16_t region, std::uint32_t block);
  // `copied`: host memory gets the data, too.
  void write_in_device(MemoryKind kind, std::uint16_t region, std::uint32_t block, bool copied = false);

  ActivationPacket header;
  woa_input input{};
  woa_output output{};
  PortMemory memory[2];
  ActivitySlot slot;
  std::vector<ActivationPacket> in_memory, out_memory;  // blocks, aligned to 64 bytes

 private:
  Rig& rig_;
  const int failures_ = std::uncaught_exceptions();
};

class Rig {
 public:
  // Ends the program as skipped if the device is unavailable.
  Rig();
  ~Rig();
  Backend& backend() { return *backend_; }
  const Plan& plan() const { return plan_; }
  const BackendRow& row() const { return row_; }
  const KernelLibrary& kernel(std::uint32_t stage) const { return kernels_[stage - kCopy]; }
  std::vector<LoadedStage> stages() const;
  DoorbellLine& line() { return *line_; }

  std::unique_ptr<Backend> make() const;
  // The memory of firings is none that the back-end may register, unless the test shows it some (`shows_memory`).
  void load(bool shows_memory = false);
  void destroy_backend() { backend_.reset(); }
  bool has_backend() const { return backend_ != nullptr; }

  // Starts `firing`, polling as long as the backend is busy. Firings that complete meanwhile are kept for wait_for().
  Start start(TestFiring& firing);
  // Polls until `firing` has completed. Fails the test when patience() ends.
  void wait_for(const TestFiring& firing);
  void run(TestFiring& firing);

  // The cpu variant's answer.
  std::vector<std::uint8_t> expected(std::uint32_t stage, std::span<const std::uint8_t> data) const;

 private:
  void poll();
  std::vector<BackendMapping> unregistered() const;

  BackendRow row_;
  Plan plan_;
  std::vector<KernelLibrary> kernels_;
  std::unique_ptr<DoorbellLine> line_ = std::make_unique<DoorbellLine>();
  std::vector<const Firing*> completed_;
  std::unique_ptr<Backend> backend_;
};

// Bytes from a formula, so that a failure repeats.
std::vector<std::uint8_t> pattern(std::size_t bytes, std::uint32_t seed);

}  // namespace woa::test
