// A controller of a CUDA device and its back-end allocate nothing and call no system per firing. What the driver does
// is its own.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "controllers/gpu/cuda/cuda_backend.h"
#include "tests/support/own_calls.h"
#include "tests/support/run_in_this_thread.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kStages = 3;
constexpr std::uint64_t kWarmUp = 64, kInstances = 256;
constexpr int kAbsent = 77, kFailed = 1;

const cuda::Library& counted_cuda() {
  static const cuda::Library table = [] {
    cuda::Library made = *open_cuda();
#define WOA_COUNTED(member, symbol, name, version, parameters) \
  if (made.member != nullptr) made.member = &Counted<&open_cuda, &cuda::Library::member>::call;
    WOA_CUDA_FUNCTIONS(WOA_COUNTED)
    WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_COUNTED)
#undef WOA_COUNTED
    return made;
  }();
  return table;
}

int give_up(const Status& status, int code = kFailed) {
  std::snprintf(own_calls().error, sizeof own_calls().error, "%s", status.message().c_str());
  return code;
}

// In the child.
int count_firings(bool resident) {
  if (const auto& probed = probe_cuda_devices(); !probed.ok()) return give_up(probed.status(), kAbsent);
  auto devices = list_cuda_devices(counted_cuda());
  if (!devices.ok()) return give_up(devices.status(), kAbsent);
  RunInThisThread running(sharpens(kStages, "cuda", resident), [] {
    const Elsewhere waiting;
    std::this_thread::yield();
  });
  Status status = running.start(std::make_unique<CudaBackend>(counted_cuda(), std::move(devices->front()), 2));
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

TEST_CASE("firings of a CUDA device cost no allocation and no system call of ours") {
  for (const bool resident : {false, true}) {
    std::map<std::uint64_t, std::uint64_t> calls;
    own_calls().own_calls = &calls;
    own_calls().library_allocations = 0;
    const int end = count_in_child([&] { return count_firings(resident); });
    if (end == kAbsent) skip("cuda", own_calls().error);
    INFO((resident ? "resident workers" : "queues") << ": " << own_calls().error);
    REQUIRE(end == 0);
    CHECK(own_calls().own_allocations == 0);
    CHECK(calls == std::map<std::uint64_t, std::uint64_t>{});
    CHECK((resident || own_calls().library_allocations > 0));  // the table is the one that is used
  }
}

}  // namespace woa::test
