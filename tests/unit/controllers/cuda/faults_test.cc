// Everything that a driver or a device can do wrong is an error that says where, what and what to do. Each case has a
// process of its own: the double reads what is wrong with it once.
#include "tests/support/faults.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "controllers/gpu/cuda/devices.h"
#include "controllers/gpu/cuda/register.h"
#include "runtime/base/child_process.h"
#include "runtime/base/clock.h"
#include "tests/support/captured_stderr.h"
#include "tests/support/run_in_this_thread.h"
#include "tests/support/says.h"

namespace woa::test {
namespace {

std::string in_child_with(const std::string& words, const std::function<std::string()>& work) {
  return test::in_child_with("WOA_CUDA_DOUBLE", words, work);
}

std::string probe() { return text_of(cuda_factory().probe().status()); }

// Loads a controller and runs some instances.
Status run_plan(const Plan& plan, std::uint64_t instances, std::uint64_t limit_ns = kPatienceNs) {
  auto backend = cuda_factory().make(0, make_controller("gpu:0", *find_backend("cuda")));
  if (!backend.ok()) return backend.status();
  RunInThisThread running(plan);
  WOA_RETURN_IF_ERROR(running.start(std::move(backend).value()));
  return running.run(instances, limit_ns);
}
Status run_some(std::uint64_t limit_ns, bool resident = false) {
  return run_plan(sharpens(3, "cuda", resident), 20, limit_ns);
}
std::string run() { return text_of(run_some(kPatienceNs)); }
std::string run_resident() { return text_of(run_some(kPatienceNs, true)); }

TEST_CASE("a device that is not there says why, and what to do") {
  const auto says_why = [](const std::string& words, std::initializer_list<std::string_view> parts) {
    const std::string told = in_child_with(words, probe);
    INFO(words << ": " << told);
    CHECK(told.starts_with("unavailable: "));
    CHECK(contains(told, parts));
  };
  const std::string why = why_no_device_files("/dev");
  const std::string_view advice = why.empty() ? "nvidia-smi -L" : std::string_view(why);
  says_why("no_driver=device", {"finds no device", advice, "CUDA_ERROR_NO_DEVICE"});
  says_why("devices=0", {"finds no device", advice});
  says_why("no_driver=mismatch", {"different versions", "restart", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"});
  says_why("no_driver=system", {advice, "CUDA_ERROR_OPERATING_SYSTEM"});
  says_why("prohibited", {"mode 'prohibited'", "nvidia-smi -c DEFAULT"});
  says_why("driver=9020", {"CUDA 9.2", "10.0", "newer driver"});
}

TEST_CASE("a file of the driver that is absent or not permitted is named") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("woa-devices-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::string told = why_no_device_files(folder);
  for (const char* const name : {"nvidiactl", "nvidia-uvm", "nvidia0"}) {
    INFO(told);
    CHECK(contains(told, {"there is no " + (folder / name).string(), "modprobe nvidia nvidia-uvm", "--gpus all"}));
    std::ofstream(folder / name).put('x');
    told = why_no_device_files(folder);
  }
  CHECK(told.empty());
  std::filesystem::create_symlink("/proc/self/no such file", folder / "nvidia7");
  CHECK(contains(why_no_device_files(folder), {"nvidia7"}));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a device that cannot be used says why, and what to do") {
  const auto fails = [](const std::string& words, std::string_view code,
                        std::initializer_list<std::string_view> parts) {
    const std::string told = in_child_with(words, run);
    INFO(words << ": " << told);
    CHECK(told.starts_with(code));
    CHECK(contains(told, parts));
  };
  fails("seed=3", "ok", {});
  CHECK(in_child_with("seed=4", run_resident) == "ok: ");
  CHECK(in_child_with("time_limit", run_resident) == "ok: ");  // queues run them
  for (const auto& [words, why] : {std::pair{"time_limit", "limits the time of kernels"},
                                   std::pair{"sms=4", "at most half of its 4 multiprocessors"}}) {
    const std::string told = in_child_with(words, [] {
      const CapturedStderr captured;
      const std::string status = run_resident();
      return status + captured.text();
    });
    INFO(told);
    CHECK(told.starts_with("ok: "));
    CHECK(contains(told, {"stage 'c' is launched for each firing", why}));
    CHECK(contains(told, {"stage 'a'"}) == (std::string_view(words) == "time_limit"));
  }
  const std::string told = in_child_with("seed=5", [] {
    ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "3", 1);
    const CapturedStderr captured;
    const std::string status = run_resident();
    return status + captured.text();
  });
  INFO(told);
  CHECK(contains(told, {"ok: ", "has 3 streams already", "CUDA_DEVICE_MAX_CONNECTIONS"}));
  fails("exclusive", "unavailable", {"exclusive process", "nvidia-smi -c DEFAULT"});
  fails("fail=ptx_version", "", {"stage 'a'", "sharpen3x3.ptx", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"});
  fails("memory=1K", "exhausted", {"are free", "blocks of"});
}

TEST_CASE("a device that fails in the middle of its work ends the controller, soon") {
  for (const char* const fault : {"illegal_address", "lost"}) {
    for (const char* const launch : {"1", "7"}) {
      const std::uint64_t begin = now_ns();
      const std::string told = in_child_with(std::string("fail=") + fault + "@" + launch, run);
      INFO(fault << "@" << launch << ": " << told);
      CHECK(contains(told, {"stage '", "instance ", "failed", "CUDA error"}));
      CHECK(now_ns() - begin < 10'000'000'000);
    }
  }
}

TEST_CASE("a worker that fails is noticed, though nothing else asks the device") {
  const std::string told =
      in_child_with("fail=illegal_address@2", [] { return text_of(run_some(5'000'000'000, true)); });
  INFO(told);
  CHECK(contains(told, {"stage '", "cuStreamQuery", "CUDA_ERROR_ILLEGAL_ADDRESS"}));
}

// The device does all that was enqueued before, and a worker that runs goes on.
TEST_CASE("a call that fails ends the controller, and the firing that it was for does not end well") {
  for (const char* const call : {"1", "2"}) {
    const std::string told = in_child_with(std::string("fail=write_value@") + call,
                                           [] { return text_of(run_plan(sharpens(1, "cuda"), 1, 5'000'000'000)); });
    INFO(call << ": " << told);
    CHECK(contains(told, {"stage 'a'", "cuStreamWriteValue64"}));
  }
  const std::string told = in_child_with("fail=launch@3", run_resident);
  INFO(told);
  CHECK(contains(told, {"the launch of a resident worker", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"}));
}

TEST_CASE("memory that cannot be registered is told, with what to do") {
  for (const char* const call : {"1", "2", "3", "4", "5"}) {
    const std::string told = in_child_with(std::string("fail=registration@") + call, [] {
      const CapturedStderr captured;
      const std::string status = run_resident();
      return status + captured.text();
    });
    INFO(call << ": " << told);
    const bool is_region = told.starts_with("ok: ");
    CHECK(contains(told, {"cuMemHostRegister", "ulimit -l unlimited"}));
    CHECK(contains(told, {"is launched for each firing", "are not registered with the device"}) == is_region);
  }
}

TEST_CASE("shared memory is asked for where a block needs more than the default, or refused") {
  const auto with = [](std::uint32_t bytes) {
    return in_child_with("seed=6", [bytes] {
      Plan plan = sharpens(1, "cuda", true);
      for (StagePlan& stage : plan.stages) stage.variant.shared_bytes = bytes;
      return text_of(run_plan(plan, 5));
    });
  };
  CHECK(with(48 << 10) == "ok: ");
  const std::string told = with(64 << 10);
  INFO(told);
  CHECK(contains(told, {"invalid: ", "stage 'a'", "`shared` is 64 KiB", "64 KiB to a block", "smaller `shared`"}));
}

// The controller sleeps when it goes, so that the driver is to ring its bell at the end of the kernel.
TEST_CASE("a kernel that ends after its controller has gone harms nobody, and ends CUDA in its process") {
  const std::string told = in_child_with("fail=slow@2", [] {
    {
      auto backend = cuda_factory().make(0, make_controller("gpu:0", *find_backend("cuda")));
      RunInThisThread* at = nullptr;
      RunInThisThread running(sharpens(1, "cuda"), [&] { at->doorbell().prepare(); });
      at = &running;
      if (!running.start(std::move(backend).value()).ok()) return std::string("does not start");
      if (running.run(3, 500'000'000).code() != Code::kDeadlineExceeded) return std::string("does not stay");
    }
    const std::string again = run();
    std::this_thread::sleep_for(std::chrono::seconds(3));
    return again;
  });
  INFO(told);
  CHECK(contains(told, {"unavailable: ", "has not ended", "start another process"}));
}

TEST_CASE("a kernel that never ends is named, and does not keep its controller from going") {
  const std::string told = in_child_with("fail=endless@4", [] {
    const CapturedStderr captured;
    const Status status = run_some(7'000'000'000);
    return text_of(status) + captured.text();
  });
  INFO(told);
  CHECK(told.starts_with("deadline_exceeded"));
  CHECK(contains(told, {"has run for 5 s", "stage '", "does not end; it keeps its memory"}));
}

}  // namespace
}  // namespace woa::test
