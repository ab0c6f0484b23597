// Kernels as compilers write them, against plain C++.
#include <chrono>
#include <thread>

#include "kernels/woa_cuda.h"
#include "tests/unit/doubles/cuda/ptx_rig.h"

namespace woa::ptx {
namespace {

#define WOA_DEVICE inline
#define WOA_CALLED inline
#define WOA_TABLE constexpr
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "tests/unit/doubles/cuda/data/bodies.h"
#pragma GCC diagnostic pop

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

// invert_resident on a thread, and the host's side of its ring.
class Resident {
 public:
  explicit Resident(std::uint64_t seed, const Ignored& ignored = {}, std::uint64_t idle_ns = 60'000'000'000) {
    rig_.weather = {seed, ignored};
    if (ignored.acquire || ignored.barrier || ignored.barrier_order || ignored.fence) patience_s_ = 1;
    const std::uint64_t at_ring = rig_.memory.add(ring_), at_control = rig_.memory.add(control_);
    from_ = rig_.memory.add(in_);
    to_ = rig_.memory.add(out_);
    at_word_ = rig_.memory.add(word_);
    worker_ = std::thread([this, at_ring, at_control, idle_ns] {
      end_ = rig_.launch("invert_resident", {1, 1, 1}, {64, 1, 1},
                         {at_ring, kSlots, kSlotWords * 8, at_control, 1, idle_ns});
    });
  }

  // True: the firing published the inverse of what the host had written.
  bool fire() {
    const std::uint64_t n = next_++;
    for (std::size_t k = 0; k < kBytes; ++k) in_[k] = static_cast<std::uint8_t>(k * n + 3);
    std::uint64_t* const slot = &ring_[(n % kSlots) * kSlotWords];
    const std::uint64_t firing[] = {kBytes, 1, 1, from_, kBytes, 0, 0, to_, kBytes, 0, 0, at_word_, n + 100};
    slot[1] = 1;
    std::copy(std::begin(firing), std::end(firing), slot + 2);
    std::atomic_ref<std::uint64_t>(slot[0]).store(n + 1, std::memory_order_release);
    if (!wait(word_[0], n + 100)) return false;
    for (std::size_t k = 0; k < kBytes; ++k)
      if (out_[k] != static_cast<std::uint8_t>(~in_[k])) return false;
    return wait(control_[0].done, n + 1);
  }
  bool parks() { return wait(control_[0].parked, 1); }
  void leave() { std::atomic_ref(control_[0].stop).store(1, std::memory_order_relaxed); }
  void stop() { rig_.stop = true; }
  Outcome end() {
    worker_.join();
    return end_;
  }

 private:
  static constexpr std::size_t kSlots = 4, kSlotWords = 32, kBytes = 300;

  template <class T>
  bool wait(T& at, std::uint64_t value) {
    const std::atomic_ref<T> word(at);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(patience_s_);
    while (word.load(std::memory_order_acquire) != value)
      if (std::this_thread::yield(); std::chrono::steady_clock::now() > until) return false;
    return true;
  }

  Rig rig_{text_of(kData + "invert.ptx")};
  std::vector<std::uint8_t> in_ = some_bytes(kBytes), out_ = some_bytes(kBytes);
  std::vector<std::uint64_t> ring_ = std::vector<std::uint64_t>(kSlots * kSlotWords), word_ = {0};
  std::vector<woa_worker_control> control_ = std::vector<woa_worker_control>(1);
  std::uint64_t from_ = 0, to_ = 0, at_word_ = 0, next_ = 0;
  int patience_s_ = 20;
  Outcome end_;
  std::thread worker_;
};

TEST_CASE("invert, resident: firings through the ring, publications, leaving, parking", "[ptx]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Resident resident(seed);
    bool right = true;
    for (int k = 0; k < 100 && right; ++k) right = resident.fire();
    CHECK(right);
    resident.leave();
    const Outcome end = resident.end();
    INFO(end.what);
    CHECK(end.end == End::kDone);
  }
  Resident idle(1, {}, 20'000'000);
  CHECK(idle.parks());
  CHECK(idle.end().end == End::kDone);
}

#ifndef __SANITIZE_THREAD__  // which would report just these races
TEST_CASE("invert, resident: the host notices whatever is left out", "[ptx]") {
  constexpr std::pair<const char*, bool Ignored::*> kAll[] = {{"fence", &Ignored::fence},
                                                              {"acquire", &Ignored::acquire},
                                                              {"barrier_order", &Ignored::barrier_order},
                                                              {"barrier", &Ignored::barrier}};
  for (const auto& [name, what] : kAll) {
    INFO(name);
    bool right = true;
    for (std::uint64_t seed = 1; seed <= 20 && right; ++seed) {
      Ignored ignored;
      ignored.*what = true;
      Resident resident(seed, ignored);
      for (int k = 0; k < 50 && right; ++k) right = resident.fire();
      resident.stop();
      resident.end();
    }
    CHECK_FALSE(right);
  }
}
#endif

#define CHECK_DONE(...)              \
  do {                               \
    const Outcome end = __VA_ARGS__; \
    INFO(end.what);                  \
    REQUIRE(end.end == End::kDone);  \
  } while (false)

constexpr const char* kModules[] = {"kernels_clang.ptx", "kernels_nvcc.ptx"};

TEST_CASE("pictures: sharpen and resize as plain C++", "[ptx]") {
  for (const char* const name : kModules) {
    INFO(name);
    Rig rig(text_of(kData + name));
    std::vector<std::uint8_t> in = some_bytes(64 * 64 + 64), out(64 * 64), large(127 * 100), wanted(127 * 100);
    const std::uint64_t from = rig.memory.add(in), to = rig.memory.add(out), to_large = rig.memory.add(large);
    CHECK_DONE(rig.launch("sharpen", {4, 4, 1}, {16, 16, 1}, {from, to, 64, 64}));
    for (unsigned y = 0; y < 64; ++y)
      for (unsigned x = 0; x < 64; ++x) sharpen_at(x, y, 64, 64, in.data(), wanted.data());
    CHECK(std::equal(out.begin(), out.end(), wanted.begin()));
    CHECK_DONE(rig.launch("resize", {8, 7, 1}, {16, 16, 1}, {from, to_large, 64, 127, 100}));
    for (unsigned y = 0; y < 100; ++y)
      for (unsigned x = 0; x < 127; ++x) resize_at(x, y, 64, 127, 100, in.data(), wanted.data());
    CHECK(large == wanted);
  }
}

TEST_CASE("fft: passes in shared memory between barriers, bit for bit", "[ptx]") {
  for (const char* const name : kModules) {
    INFO(name);
    Rig rig(text_of(kData + name));
    constexpr std::size_t kPoints = 256;
    std::vector<double> turns(4 * kPoints), data(2 * kPoints);
    for (std::size_t k = 0; k < turns.size(); ++k) turns[k] = 1.0 / static_cast<double>(k + 3);
    for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<double>(k * k % 37) / 7 - 2;
    std::vector<double> wanted = data;
    for (std::size_t half = 1; half < kPoints; half *= 2)
      for (std::size_t i = 0; i < kPoints / 2; ++i) butterfly_at(i, half, turns.data() + 2 * half, wanted.data());
    const std::vector<double> before = data;
    const std::uint64_t at_turns = rig.memory.add(turns, false), at_data = rig.memory.add(data);
    for (rig.weather.seed = 1; rig.weather.seed < 30; ++rig.weather.seed) {
      data = before;
      CHECK_DONE(rig.launch("fft", {1, 1, 1}, {64, 1, 1}, {at_turns, at_data, kPoints}));
      REQUIRE(std::memcmp(data.data(), wanted.data(), sizeof(double) * data.size()) == 0);
    }
    // Without the barrier, or without its order, the passes see each other half done.
    for (bool Ignored::*const ignored : {&Ignored::barrier, &Ignored::barrier_order}) {
      rig.weather.ignored = {};
      rig.weather.ignored.*ignored = true;
      data = before;
      CHECK_DONE(rig.launch("fft", {1, 1, 1}, {64, 1, 1}, {at_turns, at_data, kPoints}));
      CHECK(std::memcmp(data.data(), wanted.data(), sizeof(double) * data.size()) != 0);
    }
  }
}

TEST_CASE("SHA-1 of many blocks, and what kernels seldom do", "[ptx]") {
  for (const char* const name : kModules) {
    INFO(name);
    Rig rig(text_of(kData + name));
    std::vector<std::uint8_t> in = some_bytes(100 * 64);
    std::vector<std::uint32_t> states(5 * 100);
    for (std::size_t k = 0; k < states.size(); ++k) states[k] = static_cast<std::uint32_t>(k * 0x9E3779B9U);
    std::vector<std::uint32_t> wanted = states;
    std::vector<double> sums(64), wanted_sums(64);
    const std::uint64_t from = rig.memory.add(in, false), to = rig.memory.add(states), to_sums = rig.memory.add(sums);
    CHECK_DONE(rig.launch("sha", {4, 1, 1}, {32, 1, 1}, {from, to, 100}));
    for (std::size_t k = 0; k < 100; ++k) sha_at(&in[64 * k], &wanted[5 * k]);
    CHECK(states == wanted);
    CHECK_DONE(rig.launch("mixture", {2, 1, 1}, {32, 1, 1}, {from, to_sums}));
    for (unsigned k = 0; k < 64; ++k) {
      INFO(k);
      mixture_at(k, in.data(), wanted_sums.data());
      CHECK(sums[k] == wanted_sums[k]);
    }
  }
}

TEST_CASE("faults name function, line and address", "[ptx]") {
  Rig rig(text_of(kData + "invert.ptx"));
  std::vector<std::uint8_t> in = some_bytes(64), out(64);
  const std::uint64_t from = rig.memory.add(in, false), to = rig.memory.add(out);
  const auto invert = [&](std::uint64_t source, std::uint64_t target, std::uint64_t bytes) {
    return rig.launch("invert", {1, 1, 1}, {128, 1, 1}, {bytes, 1, 1, source, bytes, 0, 0, target, bytes, 0, 0});
  };
  const Outcome nowhere = invert(from, 4096, 64);
  CHECK(nowhere.end == End::kIllegalAddress);
  CHECK(nowhere.address - 4096 < 64);
  CHECK(nowhere.what.find("invert, PTX line ") == 0);
  CHECK(nowhere.what.find("nothing is allocated or registered there") != std::string::npos);
  CHECK(invert(to, from, 64).what.find("this memory is read-only") != std::string::npos);
  CHECK(invert(from, to, 128).end == End::kIllegalAddress);
  const Outcome parameters = rig.launch("invert_resident", {1, 1, 1}, {1, 1, 1}, {to + 1, 4, 128, to + 1, 1, 0});
  CHECK(parameters.end == End::kMisaligned);
  CHECK(parameters.what.find("not aligned") != std::string::npos);
}

TEST_CASE("stop ends a launch soon", "[ptx]") {
  Rig rig(".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry forever()\n{\nL: bra.uni L;\n}\n");
  Outcome end;
  std::thread launch([&] { end = rig.launch("forever", {1, 1, 1}, {64, 1, 1}, {}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto since = std::chrono::steady_clock::now();
  rig.stop = true;
  launch.join();
  CHECK(end.end == End::kStopped);
  CHECK(std::chrono::steady_clock::now() - since < std::chrono::seconds(1));  // 10 ms on a machine that is not full
}

}  // namespace
}  // namespace woa::ptx
