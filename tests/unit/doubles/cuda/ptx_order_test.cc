// Outcomes that the memory model forbids never happen, over many seeds; allowed ones do. Litmus tests between the
// threads of a block, and a block's stores as the host sees them appear.
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "tests/doubles/cuda/ptx/order.h"
#include "tests/unit/doubles/cuda/ptx_rig.h"

namespace woa::ptx {
namespace {

constexpr std::uint64_t kSeeds = 10'000;

// Two threads: %x and %y are addresses of words that begin as 0; what is in %a and %b in the end is the outcome.
std::string litmus(const std::string& first, const std::string& second) {
  return ".version 6.3\n.target sm_75\n.address_size 64\n"
         ".visible .entry litmus(.param .u64 px, .param .u64 py, .param .u64 pout)\n{\n"
         ".reg .pred %p<4>;\n.reg .b32 %t;\n.reg .b64 %x, %y, %out, %a, %b, %c, %one, %two;\n"
         "ld.param.u64 %x, [px];\nld.param.u64 %y, [py];\nld.param.u64 %out, [pout];\n"
         "mov.u64 %a, 0;\nmov.u64 %b, 0;\nmov.u64 %one, 1;\nmov.u64 %two, 2;\n"
         "mov.u32 %t, %tid.x;\nsetp.ne.u32 %p0, %t, 0;\n@%p0 bra SECOND;\n" +
         first + "\nbra.uni END;\nSECOND:\n" + second +
         "\nEND:\n@!%p0 bra HOME;\nadd.u64 %out, %out, 16;\nHOME:\n"
         "st.global.u64 [%out], %a;\nst.global.u64 [%out+8], %b;\nret;\n}\n";
}

struct Outcomes {
  std::uint64_t first_a, first_b, second_a, second_b;
};

// How many seeds give an outcome for which `is` holds.
std::uint64_t count(const std::string& text, const Ignored& ignored, const std::function<bool(const Outcomes&)>& is,
                    bool host = true) {
  Rig rig(text);
  rig.memory.host = host;
  rig.weather.ignored = ignored;
  std::vector<std::uint64_t> words(32), out(4);
  const std::uint64_t at = rig.memory.add(words), to = rig.memory.add(out);
  std::uint64_t found = 0;
  for (rig.weather.seed = 1; rig.weather.seed <= kSeeds; ++rig.weather.seed) {
    words[0] = words[16] = 0;
    const Outcome end = rig.launch("litmus", {1, 1, 1}, {2, 1, 1}, {at, at + 128, to});
    INFO(end.what);
    REQUIRE(end.end == End::kDone);
    if (is({out[0], out[1], out[2], out[3]})) ++found;
  }
  return found;
}

bool flag_without_data(const Outcomes& is) { return is.second_a == 1 && is.second_b == 0; }
bool both_old(const Outcomes& is) { return is.first_a == 0 && is.second_a == 0; }

// The reader has seen the data before, so that an old value is at hand.
std::string message(const std::string& order_first, const std::string& order_second,
                    const std::string& store = "st.relaxed.sys", const std::string& load = "ld.relaxed.sys") {
  return litmus(
      "st.global.u64 [%x], %one;\n" + order_first + store + ".global.u64 [%y], %one;",
      "ld.global.u64 %c, [%x];\n" + load + ".global.u64 %a, [%y];\n" + order_second + "ld.global.u64 %b, [%x];");
}
const std::string kFence = "fence.acq_rel.sys;\n", kSequential = "fence.sc.sys;\n";

TEST_CASE("message passing: fences, release and acquire", "[ptx]") {
  for (const std::string& fence :
       {kFence, kSequential, std::string("membar.sys;\n"), std::string("fence.acq_rel.gpu;\n")}) {
    INFO(fence);
    CHECK(count(message(fence, fence), {}, flag_without_data) == 0);
    CHECK(count(message(fence, fence), {.fence = true}, flag_without_data) > 0);
  }
  CHECK(count(message("", kFence), {}, flag_without_data) > 0);
  CHECK(count(message(kFence, ""), {}, flag_without_data) > 0);
  const std::string pair = message("", "", "st.release.sys", "ld.acquire.sys");
  CHECK(count(pair, {}, flag_without_data) == 0);
  CHECK(count(pair, {.release = true}, flag_without_data) > 0);
  CHECK(count(pair, {.acquire = true}, flag_without_data) > 0);
  CHECK(count(message("", "", "st.release.sys"), {}, flag_without_data) > 0);
  CHECK(count(message("", "", "st.relaxed.sys", "ld.acquire.sys"), {}, flag_without_data) > 0);
  CHECK(count(pair, {}, [](const Outcomes& is) { return is.second_a == 1; }) > 0);
}

TEST_CASE("scope gpu is enough in device memory, and not in the host's", "[ptx]") {
  const std::string pair = message("", "", "st.release.gpu", "ld.acquire.gpu");
  CHECK(count(pair, {}, flag_without_data, false) == 0);
  CHECK(count(pair, {}, flag_without_data, true) > 0);
}

TEST_CASE("message passing through a read-modify-write", "[ptx]") {
  const auto swap = [](const std::string& first, const std::string& second) {
    return litmus("st.global.u64 [%x], %one;\n" + first + "atom" + (first.empty() ? ".release.sys" : "") +
                      ".global.exch.b64 %c, [%y], %one;",
                  "ld.global.u64 %c, [%x];\natom" + std::string(second.empty() ? ".acquire.sys" : "") +
                      ".global.or.b64 %a, [%y], 0;\n" + second + "ld.global.u64 %b, [%x];");
  };
  CHECK(count(swap("", ""), {}, flag_without_data) == 0);
  CHECK(count(swap(kFence, kFence), {}, flag_without_data) == 0);
  CHECK(count(swap("", ""), {.release = true}, flag_without_data) > 0);
  CHECK(count(swap("", ""), {.acquire = true}, flag_without_data) > 0);
  CHECK(count(swap(kFence, kFence), {.fence = true}, flag_without_data) > 0);
}

TEST_CASE("store buffering: only sequentially consistent fences forbid it", "[ptx]") {
  const auto buffering = [](const std::string& fence) {
    return litmus("st.relaxed.sys.global.u64 [%x], %one;\n" + fence + "ld.relaxed.sys.global.u64 %a, [%y];",
                  "st.relaxed.sys.global.u64 [%y], %one;\n" + fence + "ld.relaxed.sys.global.u64 %a, [%x];");
  };
  CHECK(count(buffering(kSequential), {}, both_old) == 0);
  CHECK(count(buffering(""), {}, both_old) > 0);
  CHECK(count(buffering(kSequential), {.fence = true}, both_old) > 0);
}

TEST_CASE("coherence: a place's values are seen in one order, a thread sees its own stores", "[ptx]") {
  const std::string text =
      litmus("st.relaxed.sys.global.u64 [%x], %one;\nst.relaxed.sys.global.u64 [%x], %two;\nld.global.u64 %a, [%x];",
             "ld.relaxed.sys.global.u64 %a, [%x];\nld.relaxed.sys.global.u64 %b, [%x];");
  CHECK(count(text, {}, [](const Outcomes& is) { return is.second_b < is.second_a || is.first_a != 2; }) == 0);
  CHECK(count(text, {}, [](const Outcomes& is) { return is.second_b > is.second_a; }) > 0);
  const std::string parts = litmus(
      "st.global.u32 [%x+4], 7;\nst.global.u64 [%x], %one;\nst.global.u8 [%x+1], 2;\nld.global.u64 %a, "
      "[%x];\nst.global.u16 "
      "[%x+2], 5;\nld.global.u32 %b, [%x];",
      "");
  CHECK(count(parts, {}, [](const Outcomes& is) { return is.first_a != 0x201 || is.first_b != 0x50201; }) == 0);
}

TEST_CASE("a barrier: threads see what others stored before it", "[ptx]") {
  for (const std::string space : {".global", ""}) {
    const std::string text = litmus("st" + space + ".u64 [%x], %one;\nbar.sync 0;\nld" + space + ".u64 %a, [%y];",
                                    "ld" + space + ".u64 %c, [%x];\nst" + space +
                                        ".u64 [%y], %one;\nbarrier.sync 0;\nld" + space + ".u64 %a, [%x];");
    const auto old = [](const Outcomes& is) { return is.first_a == 0 || is.second_a == 0; };
    CHECK(count(text, {}, old) == 0);
    CHECK(count(text, {.barrier_order = true}, old) > 0);
    CHECK(count(text, {.barrier = true}, old) > 0);
  }
}

TEST_CASE("a barrier carries an acquire to the other threads", "[ptx]") {
  Rig rig(litmus("ld.global.u64 %c, [%x];\nbar.sync 0;\nbar.sync 0;\nld.global.u64 %a, [%x];",
                 "bar.sync 0;\nst.release.sys.global.u64 [%y], %one;\nL: ld.acquire.sys.global.u64 %b, [%y+8];\n"
                 "setp.eq.u64 %p1, %b, 0;\n@%p1 bra L;\nbar.sync 0;\nld.global.u64 %a, [%x];"));
  std::vector<std::uint64_t> words(32), out(4);
  const std::uint64_t at = rig.memory.add(words), to = rig.memory.add(out);
  const auto old = [&](const Ignored& ignored, std::uint64_t seeds) {
    std::uint64_t found = 0;
    rig.weather.ignored = ignored;
    for (rig.weather.seed = 1; rig.weather.seed <= seeds; ++rig.weather.seed) {
      words[0] = words[16] = words[17] = 0;
      std::thread host([&] {
        while (std::atomic_ref(words[16]).load(std::memory_order_acquire) == 0) std::this_thread::yield();
        words[0] = 1;
        std::atomic_ref(words[17]).store(1, std::memory_order_release);
      });
      const Outcome end = rig.launch("litmus", {1, 1, 1}, {2, 1, 1}, {at, at + 128, to});
      host.join();
      REQUIRE(end.end == End::kDone);
      if (out[0] == 0 || out[2] == 0) ++found;
    }
    return found;
  };
  CHECK(old({}, 500) == 0);
#ifndef __SANITIZE_THREAD__  // which would report just these races
  CHECK(old({.acquire = true}, 100) > 0);
  CHECK(old({.barrier_order = true}, 100) > 0);
#endif
}

// A block of three threads whose stores the host sees appear.
struct Watched {
  Watched(std::uint64_t seed, const Ignored& ignores) : ignored(ignores), random(seed), block(random, ignored, late) {}

  void store(std::size_t thread, std::uint64_t& at, std::uint64_t value, Order order = Order::kWeak) {
    block.store(threads[thread], {reinterpret_cast<std::byte*>(&at), value, 0, 0, 8, order, false, true}, Scope::kSys);
  }
  void barrier() {
    std::vector<ThreadView*> all;
    for (ThreadView& one : threads) all.push_back(&one);
    block.barrier(all);
  }
  // Lets the stores go one after the other; whether `is` held in between.
  bool ever(const std::function<bool()>& is) {
    bool held = is();
    for (int k = 0; k < 400; ++k) {
      block.tick(threads[static_cast<std::size_t>(k) % threads.size()]);
      held = held || is();
    }
    return held;
  }

  const Ignored ignored;
  Random random;
  Late late;
  BlockView block;
  std::array<ThreadView, 3> threads;
  alignas(64) std::uint64_t x = 0;
  alignas(64) std::uint64_t y = 0;
};

std::uint64_t seeds_where(const Ignored& ignored, const std::function<bool(Watched&)>& is) {
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Watched watched(seed, ignored);
    if (is(watched)) ++found;
  }
  return found;
}

TEST_CASE("the host sees data before the word that publishes them", "[ptx]") {
  const auto fenced = [](Watched& of) {
    of.store(0, of.x, 1);
    if (!of.ignored.fence) of.block.fence(of.threads[0], false, Scope::kSys);
    of.store(0, of.y, 1, Order::kRelaxed);
    return of.ever([&] { return of.y == 1 && of.x == 0; });
  };
  CHECK(seeds_where({}, fenced) == 0);
  CHECK(seeds_where({.fence = true}, fenced) > 0);
  const auto released = [](Watched& of) {
    of.store(0, of.x, 1);
    of.store(0, of.y, 1, Order::kRelease);
    return of.ever([&] { return of.y == 1 && of.x == 0; });
  };
  CHECK(seeds_where({}, released) == 0);
  CHECK(seeds_where({.release = true}, released) > 0);
  // A fence of a narrower scope promises the host nothing.
  for (const Scope scope : {Scope::kCta, Scope::kGpu})
    CHECK(seeds_where({}, [scope](Watched& of) {
            of.store(0, of.x, 1);
            of.block.fence(of.threads[0], false, scope);
            of.store(0, of.y, 1, Order::kRelaxed);
            return of.ever([&] { return of.y == 1 && of.x == 0; });
          }) > 0);
}

TEST_CASE("one thread's fence behind a barrier covers what all threads stored before it", "[ptx]") {
  const auto published = [](Watched& of) {
    of.store(1, of.x, 1);
    of.barrier();
    of.block.fence(of.threads[0], false, Scope::kSys);
    of.store(0, of.y, 1, Order::kRelaxed);
    return of.ever([&] { return of.y == 1 && of.x == 0; });
  };
  CHECK(seeds_where({}, published) == 0);
  CHECK(seeds_where({.barrier_order = true}, published) > 0);
}

TEST_CASE("a place's values reach the host in one order, and all arrive", "[ptx]") {
  CHECK(seeds_where({}, [](Watched& of) {
          of.store(0, of.x, 1);
          of.store(0, of.x, 2);
          of.barrier();
          of.store(1, of.x, 3);
          std::uint64_t last = 0;
          const bool back = of.ever([&] { return std::exchange(last, of.x) > of.x; });
          return back || of.x != 3;
        }) == 0);
}

TEST_CASE("stores of a finished launch are late, and none is lost", "[ptx]") {
  Rig rig(litmus("st.global.u64 [%x], %one;", "st.global.u64 [%y], %two;"));
  std::vector<std::uint64_t> words(32), out(4, 9);
  const std::uint64_t at = rig.memory.add(words), to = rig.memory.add(out);
  std::unique_ptr<LateStores> late;
  REQUIRE(rig.launch("litmus", {1, 1, 1}, {2, 1, 1}, {at, at + 128, to}, &late).end == End::kDone);
  REQUIRE(late != nullptr);
  CHECK((words[0] == 0 || words[16] == 0 || out[0] == 9 || out[2] == 9));
  late.reset();
  CHECK(words[0] == 1);
  CHECK(words[16] == 2);
  CHECK(out == std::vector<std::uint64_t>{0, 0, 0, 0});
}

}  // namespace
}  // namespace woa::ptx
