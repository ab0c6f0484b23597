// What a controller's device does: run kernels. Everything else (matching, claims, forwarding, poison, deadlines,
// retirement) is the same for all devices and lives in Controller (controller.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/controller/activation.h"
#include "runtime/controller/activity.h"
#include "runtime/controller/kernel_library.h"
#include "runtime/memory/pages.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/plan/plan.h"
#include "runtime/transport/shared_memory.h"
#include "woa/woa_kernel.h"

namespace woa {

// What `woa devices` and every run's JSON show of a device.
struct DeviceDescription {
  std::string backend;             // "cpu", "opencl", "cuda", "verilator", "xrt"
  std::string device;              // what the library calls it
  bool simulated = false;          // a model or a CPU in a device's place: labelled in every output
  std::string forwards = "host";   // who writes the outgoing headers: "host" or "device", as the plan's traits say
  std::string matches = "none";    // what the device matches by itself: "none", "instance", "tag"
  std::string publishes = "host";  // the last that can publish its kernels' packets, as the traits say: "host", "queue"
                                   // or "worker"
  std::uint32_t workers = 1;       // firings that a cpu controller runs at once
};

// Blocks in a device's memory, which its back-end allocates: the payloads of one output, without their dimensions.
struct DeviceRegion {
  std::uint16_t number = 0;  // as packets name it
  std::uint32_t blocks = 0;
  std::uint64_t block_bytes = 0;  // a multiple of 64
};

using RegionNumbers = std::vector<std::uint16_t>;  // as packets name them

// Host memory that firings point into: the payloads of a region, or a ring whose packets the device publishes.
struct BackendMapping {
  std::span<std::byte> bytes;           // begins with a page, and shares no page with another part of the run's memory
  Access access = Access::kRead;        // of the device: it writes only where this is kReadWrite
  bool may_register = false;            // with the device; the process can write to the pages, as drivers ask
  std::optional<std::uint16_t> region;  // its number, as packets name it; none: a ring
  std::string what;                     // for messages: "payloads of output 'out' of stage 'blur'"
  std::vector<std::uint32_t> stages = {};  // of the controller, by number: they read or write a region's payloads
  // A region's blocks begin at `first_block` bytes, and at each `block_step` from there; both multiples of 64.
  std::uint64_t first_block = 0, block_step = 0, block_bytes = 0;
  int descriptor = -1;       // by which a worker process maps the bytes, from `offset` on; -1: none does
  std::uint64_t offset = 0;  // a multiple of a page
  bool has_guards = false;   // RegionLayout::guard_room
};

// A port's memory, beside the kernel ABI's view of it. The view's `data` is null where the data lie in the device
// alone. An output in the device whose `data` is not null is for readers elsewhere, too: the back-end copies it there.
struct PortMemory {
  MemoryKind memory = MemoryKind::kCpu;
  std::uint16_t region = 0;        // the next two name the block in the device: a DeviceRegion's number
  std::uint32_t block = 0;         // and a place in it
  std::uint64_t copied_bytes = 0;  // out: moved between the port's block and the device's own memory
};

// One outgoing packet per edge of a firing, for devices that write headers themselves (forwards == "device").
// The controller sets what the device cannot know (where the block was reserved); the device answers with the packet.
struct FiringRoute {
  std::uint32_t edge = 0;    // in the plan
  std::uint16_t region = 0;  // of the reserved block
  std::uint32_t offset = 0;  // units of 64 bytes
  ActivationPacket header;   // out: sealed, sequence included
};

// One run of a stage's kernel, owned by the controller; valid from start() until its completion is known.
//
// A kernel gets what stands here, as woa/woa_kernel.h has it: the base (instance, tag, state; the back-end adds
// scratch, if the stage has any) and a view of each port. The controller has checked the inputs against their types and
// reserved the outputs' blocks at the consumer; the back-end fills these and sets what a kernel sets. The controller
// checks that and writes the dimensions in front.
struct Firing : woa_firing {
  Firing() noexcept : woa_firing{} {}

  std::uint32_t stage = 0;
  std::uint64_t deadline = kNoDeadline;  // a back-end where a firing waits fails it when that is over
  std::span<woa_input> inputs;
  std::span<woa_output> outputs;
  std::span<PortMemory> input_memory, output_memory;  // by port
  const ActivationPacket* packet = nullptr;  // that brought the first input, for devices that parse packets themselves
  std::vector<FiringRoute> routes;           // empty unless the device forwards
  // Packets that the device publishes (StagePlan::publishes), prepared by the host; empty unless it does. The device
  // stores each payload, then the publication's value at its word, with release order. It publishes firings in the
  // order of their starts, and a firing's publications in their order: the reader takes a gap for a lost packet. So
  // nothing of later firings is published between the failure of one and its completion; one that fails in start()
  // completes there (kCompleted). A null word is not for the device. The firing completes when the device stores no
  // more for it, whether it ran or failed. If it failed, what is not published by then becomes poison. `lost` says that
  // the device may store still: then poison waits until the back-end has gone.
  std::span<const Publication> publications;
  // The stages that the device runs behind this one, in order, each on the output of the one before: one firing each.
  // `routes` and `outputs` of the first are then those of the last stage; the others have neither, and no memory for
  // their input, whose size the device may give. It gives code, message, times and cycles to each; behind one that
  // failed none ran, and all routes get that one's poison. poll() tells of the first alone.
  std::span<Firing* const> joined = {};
  bool in_call = false;  // start() is to run it, where a back-end may run kernels there and elsewhere
  bool timed = true;     // started_ns and ended_ns are asked for: looking at the clock takes time
  // Poison to be forwarded instead of a run: set by the controller, only for devices that forward.
  bool poison = false;
  ActivationPacket poison_header;  // kind poison: status, origin, instance and the inline message's length
  // Set by the back-end before the firing is complete.
  Code code = Code::kOk;
  // Nobody can tell what the device sent: ends the run with code and message. Later answers of poll() are dropped.
  bool lost = false;
  std::string message;                         // reserved at start; assigning up to its capacity does not allocate
  std::uint64_t started_ns = 0, ended_ns = 0;  // of the kernel itself
  std::uint64_t cycles = 0;                    // of a simulated device
  std::uint32_t worker = 0;                    // which thread or queue of the controller ran it
  // Says that it runs. The controller begins it before start(); a back-end of RunsIn::kEither begins those that are not
  // in_call when a thread takes them.
  ActivitySlot* activity = nullptr;
  Firing* next = nullptr;  // the back-end's, from start() to poll()
};

// The outcome of starting a firing.
enum class Start : std::uint8_t {
  kBusy,       // every worker is; try again after a completion
  kCompleted,  // the kernel ran in the call
  kStarted,    // poll() will tell of its completion
  // poll() will tell, but the views of all outputs are final at once, and a firing that is started on this device later
  // finds their data as if this one had completed. Only the device can fail it, and with it what was started later. Of
  // stages whose outputs are always written, one token each.
  kOrdered
};

// Where start() runs kernels.
enum class RunsIn : std::uint8_t {
  kCall,       // before it returns: inputs may stay where they came to
  kElsewhere,  // in the device
  kEither      // as Firing::in_call says
};

// One stage as its backend gets it.
struct LoadedStage {
  std::uint32_t id = 0;                // in the plan
  const StagePlan* plan = nullptr;     // outlives the backend
  const woa_kernel* kernel = nullptr;  // the library's table; null only if no library is needed
  void* self = nullptr;                // made by kernel->create; owned by the controller
  // Where kernel.yaml and the sources of its variants lie; empty: the folder of plan->kernel_file.
  std::string folder = {};
  // Worker processes make the functions of an isolated kernel of the program of it.
  std::string sent = {};
  TakeAttached attached = nullptr;
  bool brief_here = false;  // firings in the controller's thread run in this process
  // A kernel in worker processes has no table here, and its state holds nothing to release.
  [[nodiscard]] std::uint64_t state_bytes() const noexcept {
    return plan->isolated ? plan->state_bytes : kernel == nullptr ? 0 : kernel->state_bytes;
  }
  [[nodiscard]] bool retires() const noexcept { return kernel != nullptr && kernel->retire != nullptr; }
};

// A device, owned by one controller and used by its thread only.
class Backend {
 public:
  virtual ~Backend() = default;  // waits for running firings, then releases the device
  virtual const DeviceDescription& description() const noexcept = 0;
  // Builds what the stages need (device programs, buffers, route table). Once, before start(); may take seconds.
  // kUnsupported: a stage has no variant for this device. kInvalid: the build failed; the message holds the compiler's
  // log. `plan` outlives the backend. `wakeup` is to be rung when a firing completes outside poll().
  virtual Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) = 0;
  // Allocates memory for payloads that stay in the device. Once, after load() and before start(), if the plan's traits
  // say that the back-end keeps payloads and there are any. kUnsupported: it keeps none. kExhausted: the device has no
  // room.
  virtual Status allocate(std::span<const DeviceRegion> regions);
  // Shows the host memory that firings will point into: payloads, and words of publications. An input that
  // came behind its header lies elsewhere. Called once, after load() and allocate() and before start(), by their
  // thread. `mappings` is borrowed until the call returns. The controller owns the memory, which stays at its address
  // until the back-end has gone. The back-end may register mappings with `may_register`, and undoes that in its
  // destructor. These are all rings, and the regions that fit in its traits' budget (`registers`) in the order of their
  // numbers. Another controller of the process may get the same bytes. Returns the regions that are staged: it would
  // register them, and may not, or the driver refuses; so it copies their payloads by way of memory of its own. An
  // error ends the load; its message says what to do.
  virtual Result<RegionNumbers> map(std::span<const BackendMapping> mappings);
  [[nodiscard]] virtual RunsIn runs_in() const noexcept { return RunsIn::kElsewhere; }
  // Begins a firing, or runs it. Never blocks on the device, but on a kernel that it runs itself.
  [[nodiscard]] virtual Start start(Firing& firing) noexcept = 0;
  // Started firings that completed since the last call, in any order; at most done.size(). Never blocks. Called while
  // one is under way.
  virtual std::size_t poll(std::span<Firing*> done) noexcept = 0;
};

// How tools make a backend. `probe` is cheap or runs in a child process and never aborts the caller.
struct BackendFactory {
  std::string name;  // "cpu", "opencl", "cuda", "verilator", "xrt"
  ControllerKind kind = ControllerKind::kCpu;
  // Devices present, best first; or kUnavailable with the reason.
  std::function<Result<std::vector<DeviceDescription>>()> probe;
  // `ordinal`: which of the back-end's devices, from 0. kUnavailable with the reason.
  std::function<Result<std::unique_ptr<Backend>>(std::uint32_t ordinal, const ControllerPlan& controller)> make;
};

// What was registered by main(); passed down, never global.
class BackendRegistry {
 public:
  Status add(BackendFactory factory);  // kInvalid: that name is taken
  const BackendFactory* find(std::string_view name) const noexcept;
  std::span<const BackendFactory> all() const noexcept { return factories_; }

 private:
  std::vector<BackendFactory> factories_;
};

}  // namespace woa
