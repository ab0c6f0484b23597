// A controller of an OpenCL device and its back-end allocate nothing and call no system per firing. What the library
// does is its own, and is printed.
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "controllers/gpu/opencl/opencl_backend.h"
#include "tests/support/run_in_this_thread.h"
#include "tests/unit/controllers/opencl/counted_cl.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kStages = 3;
constexpr std::uint64_t kWarmUp = 64, kInstances = 256;
constexpr int kAbsent = 77, kFailed = 1;

int give_up(const Status& status, int code = kFailed) {
  std::snprintf(own_calls().error, sizeof own_calls().error, "%s", status.message().c_str());
  return code;
}

// In the child.
int count_firings() {
  if (const auto& probed = probe_devices(); !probed.ok()) return give_up(probed.status(), kAbsent);
  const OpenCl& cl = counted_cl();
  auto devices = list_devices(cl);
  if (!devices.ok()) return give_up(devices.status(), kAbsent);
  RunInThisThread running(sharpens(kStages, "opencl"), [] {
    const Elsewhere waiting;
    std::this_thread::yield();
  });
  Status status = running.start(std::make_unique<OpenClBackend>(cl, std::move(devices->front()), 2));
  if (status.ok()) status = running.run(kWarmUp);
  if (!status.ok()) return give_up(status);
  count_from_here();
  const std::uint64_t before = own_allocations();
  status = running.run(kInstances);
  own_calls().counting = false;
  own_calls().own_allocations = own_allocations() - before - own_calls().library_allocations;
  return status.ok() ? 0 : give_up(status);
}

}  // namespace

TEST_CASE("the counter tells own calls from others") {
  std::map<std::uint64_t, std::uint64_t> calls;
  own_calls().own_calls = &calls;
  REQUIRE(count_in_child([] {
            count_from_here();
            const std::uint64_t before = own_allocations();
            delete new volatile int;
            getppid();
            {
              const Elsewhere elsewhere;
              delete new volatile int;
              getppid();
              getppid();
            }
            own_calls().counting = false;
            own_calls().own_allocations = own_allocations() - before - own_calls().library_allocations;
            return 0;
          }) == 0);
  CHECK(std::exchange(own_calls().own_allocations, 0) == 1);
  CHECK(std::exchange(own_calls().library_allocations, 0) == 1);
  CHECK(calls == std::map<std::uint64_t, std::uint64_t>{{SYS_getppid, 1}});
  CHECK(std::exchange(own_calls().library_calls, 0) == 2);
}

TEST_CASE("firings of an OpenCL device cost no allocation and no system call of ours") {
  std::map<std::uint64_t, std::uint64_t> calls;
  own_calls().own_calls = &calls;
  const int end = count_in_child(count_firings);
  if (end == kAbsent) skip("opencl", own_calls().error);
  INFO(own_calls().error);
  REQUIRE(end == 0);
  constexpr double kFirings = kInstances * kStages;
  std::printf("of the library, per firing: %.2f allocations, %.2f system calls\n",
              static_cast<double>(own_calls().library_allocations) / kFirings,
              static_cast<double>(own_calls().library_calls) / kFirings);
  CHECK(own_calls().own_allocations == 0);
  CHECK(own_calls().callback_allocations == 0);
  CHECK(calls == std::map<std::uint64_t, std::uint64_t>{});
  CHECK(own_calls().library_allocations > 0);  // the table is the one that is used
}

}  // namespace woa::test
