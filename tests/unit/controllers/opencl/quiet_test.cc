// A controller of an OpenCL device and its back-end allocate nothing and call no system per firing. What the library
// does is its own, and is printed.
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "controllers/gpu/opencl/opencl_backend.h"
#include "tests/support/counted_firings.h"
#include "tests/unit/controllers/opencl/counted_cl.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kStages = 3;

Result<std::unique_ptr<Backend>> make_counted() {
  if (const auto& probed = probe_devices(); !probed.ok()) return probed.status();
  auto devices = list_devices(counted_cl());
  if (!devices.ok()) return devices.status();
  return std::unique_ptr<Backend>(std::make_unique<OpenClBackend>(counted_cl(), std::move(devices->front()), 2));
}

}  // namespace

TEST_CASE("the counter tells own calls from others") {
  std::map<std::uint64_t, std::uint64_t> calls;
  own_calls().own_calls = &calls;
  REQUIRE(count_in_child([] {
            count_from_here();
            const std::uint64_t before = own_allocations();
            ::operator delete(::operator new(1));  // which no compiler leaves out
            getppid();
            {
              const Elsewhere elsewhere;
              ::operator delete(::operator new(1));  // which no compiler leaves out
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
  const int end = count_in_child([] { return count_firings(sharpens(kStages, "opencl"), make_counted); });
  if (end == kAbsent) skip("opencl", own_calls().error);
  INFO(own_calls().error);
  REQUIRE(end == 0);
  constexpr double kFirings = kCountedFirings * kStages;
  std::printf("of the library, per firing: %.2f allocations, %.2f system calls\n",
              static_cast<double>(own_calls().library_allocations) / kFirings,
              static_cast<double>(own_calls().library_calls) / kFirings);
  CHECK(own_calls().own_allocations == 0);
  CHECK(own_calls().callback_allocations == 0);
  CHECK(calls == std::map<std::uint64_t, std::uint64_t>{});
  CHECK(own_calls().library_allocations > 0);  // the table is the one that is used
}

}  // namespace woa::test
