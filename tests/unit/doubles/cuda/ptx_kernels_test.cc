// Kernels as compilers write them, against plain C++.
#include <chrono>
#include <thread>

#include "kernels/woa_cuda.h"
#include "tests/unit/doubles/cuda/ptx_rig.h"

namespace woa::ptx {
namespace {

const std::string kData = WOA_SOURCE_DIR "/tests/unit/doubles/cuda/data/";

std::vector<std::uint8_t> some_bytes(std::size_t count) {
  std::vector<std::uint8_t> out(count);
  for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<std::uint8_t>(k * 7 + k / 3);
  return out;
}

TEST_CASE("invert, launched: each byte", "[ptx]") {
  Rig rig(text_of(kData + "invert.ptx"));
  CHECK(rig.module->version() == 63);
  CHECK(rig.module->target() == 75);
  std::vector<std::uint8_t> in = some_bytes(5000), out(5000);
  const std::uint64_t from = rig.memory.add(in, false), to = rig.memory.add(out);
  for (rig.weather.seed = 1; rig.weather.seed < 20; ++rig.weather.seed) {
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    const Outcome end = rig.launch("invert", {20, 1, 1}, {256, 1, 1}, {5000, 1, 1, from, 5000, 0, 0, to, 5000, 0, 0});
    INFO(end.what);
    REQUIRE(end.end == End::kDone);
    for (std::size_t k = 0; k < out.size(); ++k) REQUIRE(out[k] == static_cast<std::uint8_t>(~in[k]));
  }
}

TEST_CASE("invert, resident: firings through the ring, publications, parking", "[ptx]") {
  Rig rig(text_of(kData + "invert.ptx"));
  constexpr std::size_t kSlots = 4, kSlotWords = 32, kFirings = 200, kBytes = 300;
  std::vector<std::uint8_t> in = some_bytes(kBytes), out(kBytes);
  std::vector<std::uint64_t> ring(kSlots * kSlotWords), word(1);
  std::vector<woa_worker_control> control(1);
  const std::uint64_t from = rig.memory.add(in), to = rig.memory.add(out), at_ring = rig.memory.add(ring),
                      at_word = rig.memory.add(word), at_control = rig.memory.add(control);
  Outcome end;
  std::thread worker([&] {
    end = rig.launch("invert_resident", {1, 1, 1}, {64, 1, 1},
                     {at_ring, kSlots, kSlotWords * 8, at_control, 1, 200'000'000});
  });
  const auto wait = [](unsigned long long& at, std::uint64_t value) {
    const std::atomic_ref<unsigned long long> atomic(at);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (atomic.load(std::memory_order_acquire) != value && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    return atomic.load(std::memory_order_acquire) == value;
  };
  bool right = true;
  for (std::uint64_t n = 0; n < kFirings && right; ++n) {
    for (std::size_t k = 0; k < kBytes; ++k) in[k] = static_cast<std::uint8_t>(k * n + 3);
    std::uint64_t* const slot = &ring[(n % kSlots) * kSlotWords];
    const std::uint64_t firing[] = {kBytes, 1, 1, from, kBytes, 0, 0, to, kBytes, 0, 0, at_word, n + 100};
    slot[1] = 1;
    std::copy(std::begin(firing), std::end(firing), slot + 2);
    std::atomic_ref<std::uint64_t>(slot[0]).store(n + 1, std::memory_order_release);
    auto& published = reinterpret_cast<unsigned long long&>(word[0]);
    right = wait(published, n + 100);
    for (std::size_t k = 0; k < kBytes; ++k) right = right && out[k] == static_cast<std::uint8_t>(~in[k]);
    right = right && wait(control[0].done, n + 1);
  }
  CHECK(right);
  CHECK(wait(control[0].parked, 1));
  worker.join();
  INFO(end.what);
  CHECK(end.end == End::kDone);
}

}  // namespace
}  // namespace woa::ptx
