// A controller of a CUDA device and its back-end allocate nothing and call no system per firing. What the driver does
// is its own.
#include <map>
#include <memory>
#include <utility>

#include "controllers/gpu/cuda/cuda_backend.h"
#include "tests/support/counted_firings.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kStages = 3;

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

Result<std::unique_ptr<Backend>> make_counted() {
  if (const auto& probed = probe_cuda_devices(); !probed.ok()) return probed.status();
  auto devices = list_cuda_devices(counted_cuda());
  if (!devices.ok()) return devices.status();
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(counted_cuda(), std::move(devices->front()), 2, 32));
}

}  // namespace

TEST_CASE("firings of a CUDA device cost no allocation and no system call of ours") {
  for (const bool resident : {false, true}) {
    std::map<std::uint64_t, std::uint64_t> calls;
    own_calls().own_calls = &calls;
    own_calls().library_allocations = 0;
    const int end = count_in_child([&] { return count_firings(sharpens(kStages, "cuda", resident), make_counted); });
    if (end == kAbsent) skip("cuda", own_calls().error);
    INFO((resident ? "resident workers" : "queues") << ": " << own_calls().error);
    REQUIRE(end == 0);
    CHECK(own_calls().own_allocations == 0);
    CHECK(calls == std::map<std::uint64_t, std::uint64_t>{});
    CHECK((resident || own_calls().library_allocations > 0));  // the table is the one that is used
  }
}

}  // namespace woa::test
