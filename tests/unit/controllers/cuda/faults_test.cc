// Everything that a driver or a device can do wrong is an error that says where, what and what to do. Each case has a
// process of its own: the double reads what is wrong with it once.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
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

constexpr std::uint64_t kPatienceNs = 60'000'000'000;

std::string in_child_with(const std::string& words, const std::function<std::string()>& work) {
  const auto told = run_in_child(
      [&] {
        ::setenv("WOA_CUDA_DOUBLE", words.c_str(), 1);
        return work();
      },
      kPatienceNs);
  REQUIRE(told.ok());
  return *told;
}

std::string text_of(const Status& status) { return std::string(to_string(status.code())) + ": " + status.message(); }

std::string probe() { return text_of(cuda_factory().probe().status()); }

// Loads a controller and runs some instances.
Status run_some(std::uint64_t limit_ns, bool resident = false) {
  auto backend = cuda_factory().make(0, make_controller("gpu:0", *find_backend("cuda")));
  if (!backend.ok()) return backend.status();
  RunInThisThread running(sharpens(3, "cuda", resident));
  WOA_RETURN_IF_ERROR(running.start(std::move(backend).value()));
  return running.run(20, limit_ns);
}
std::string run() { return text_of(run_some(kPatienceNs)); }
std::string run_resident() { return text_of(run_some(kPatienceNs, true)); }

bool contains(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (text.find(part) == std::string::npos) return false;
  return true;
}

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
