// A controller and everything that it needs in this process: device, kernels, wiring, and the loop that drives it.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

#include "runtime/base/processor.h"
#include "runtime/base/status.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/controller.h"
#include "runtime/controller/kernel_library.h"
#include "runtime/node/segments.h"
#include "runtime/transport/idle.h"

namespace woa {

struct HostedControllerSetup {
  const Plan* plan = nullptr;  // outlives the controller, as does layout
  const Layout* layout = nullptr;
  std::uint32_t id = 0;
  const BackendRegistry* backends = nullptr;
  std::unique_ptr<Backend> backend;  // null: made from `backends` by the plan's backend name
  Transports transports;
  const Segments* segments = nullptr;
  std::vector<std::filesystem::path> kernel_path;
  ReadDeclaration read_declaration;            // see RunOptions
  std::vector<ProgramKernel> program_kernels;  // see RunOptions, as the next
  bool brief_program_kernels_here = false;
  InstanceObserver* observer = nullptr;
  std::uint64_t trace_limit = 0;  // events kept for a trace; later ones are only counted; 0: no trace
  IdleOptions idle;
  Activity activity = {};      // memory where it says what it runs; empty: nobody reads it
  Processors processors = {};  // that run() pins its thread, and those of workers, to
  bool general_way = false;    // as in ControllerSetup
};

class HostedController {
 public:
  // kUnavailable: the device is absent (the message says why). kNotFound: a kernel's library or a file that it needs is
  // absent. kUnsupported: the device writes packets otherwise than the plan's traits say (compile the graph again), or
  // as for Backend::load(), as kInvalid is. kInvalid also for a
  // processor that cannot be pinned to. Otherwise like Backend::allocate() and map().
  static Result<std::unique_ptr<HostedController>> make(HostedControllerSetup setup);

  Controller& controller() noexcept { return *controller_; }
  const DeviceDescription& device() const noexcept { return backend_->description(); }
  // The regions that the back-end's map() returned.
  const RegionNumbers& staged() const noexcept { return staged_; }
  const Doorbell& doorbell() const noexcept { return doorbell_; }
  // Bytes that were written in the regions of this controller alone. Any thread.
  [[nodiscard]] std::uint64_t own_bytes() const noexcept;
  // HostedControllerSetup::processors.
  const Processors& processors() const noexcept { return processors_; }

  // Drives the controller until it ends, fails, or `stop` is set (and the doorbell rung). Returns the failure; else ok.
  Status run(const std::atomic<bool>& stop);
  // Once run() has returned: ends the device, with its worker processes. Its channels stay as they are, since kernels
  // may have kept what they read. Only the destructor may follow.
  void end_device() noexcept { backend_.reset(); }
  // Puts how wait() has waited into the controller's stats.
  void note_end() noexcept { controller_->note_end(idle_.counts()); }
  // A step of waiting after a duty cycle; for loops other than run(), too. As Idle::idle(), but it leaves the
  // processors to workers that need all of them.
  template <class LookAgain>
  void wait(bool did_work, LookAgain&& look_again, std::uint64_t most_ns = Idle::kForever) noexcept {
    const auto awaits = [this] { return controller_->awaits(); };
    if (!did_work && workers_need_processors())
      idle_.sleep(look_again, awaits, most_ns);
    else
      idle_.idle(did_work, look_again, awaits, most_ns);
  }

 private:
  HostedController() : idle_(Doorbell()) {}
  Status load_stages(const HostedControllerSetup& setup, std::vector<LoadedStage>& stages);
  Status drive(const std::atomic<bool>& stop);
  [[nodiscard]] bool workers_need_processors() const noexcept;
  // The back-end goes first: it waits for running firings, which are the controller's and use the kernels.
  std::vector<std::unique_ptr<KernelLibrary>> kernels_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<Backend> backend_;
  RegionNumbers staged_;
  std::vector<std::span<std::byte>> own_memory_;
  Doorbell doorbell_;
  Idle idle_;
  Processors processors_;
  std::vector<Doorbell> of_others_;  // controllers whose workers take the same processors
  bool crowded_ = false;             // its workers need all processors
  bool workers_told_ = false;        // its doorbell says that they run
};

// The number of a controller's device. Each back-end counts its devices from 0: a controller's number skips lower ones
// of its kind that another back-end has.
std::uint32_t device_of(const Plan& plan, const ControllerPlan& controller);

}  // namespace woa
