// Requirements on back-ends whose devices publish packets, and that host memory is shown to: registered or not, each
// result is there when its packet is. Others take any mappings, and publish nothing.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <thread>

#include "runtime/controller/layout.h"
#include "runtime/memory/pages.h"
#include "tests/cts/backend/rig.h"
#include "tests/support/catch.h"

namespace woa::test {
namespace {

constexpr std::size_t kRings = 3, kFirings = 48, kBlockBytes = 48 << 10, kRingBytes = 4096;

bool publishes(const Rig& rig) { return rig.row().controller.traits.publishes != Publisher::kHost; }

// Blocks for inputs and outputs, one of each for each firing, and rings of words.
class Shared {
 public:
  Shared(const Rig& rig, std::uint32_t stage, bool registered) : stage_(stage), registered_(registered) {
    const Layout layout = make_layout(rig.plan());
    in_ = layout.edges[layout.in_edges[stage][0][0]].regions.front();
    out_ = layout.edges[layout.out_edges[stage][0][0]].regions.front();
    for (auto* const memory : {&inputs_, &outputs_}) *memory = pages(kFirings * kBlockBytes);
    for (auto& ring : rings_) ring = pages(kRingBytes);
  }
  // The rings, and the regions of the stage, in the form in which a controller shows them.
  [[nodiscard]] std::vector<BackendMapping> mappings() const {
    std::vector<BackendMapping> all;
    for (const auto& ring : rings_) all.push_back({ring->bytes(), Access::kReadWrite, true, std::nullopt, "a ring"});
    all.push_back({inputs_->bytes(), Access::kRead, registered_, in_, "inputs", {stage_}, 0, kBlockBytes, kBlockBytes});
    all.push_back(
        {outputs_->bytes(), Access::kReadWrite, registered_, out_, "outputs", {stage_}, 0, kBlockBytes, kBlockBytes});
    return all;
  }
  // Lets the firing read and write the blocks of that number.
  void give_blocks(TestFiring& firing, std::size_t number) {
    firing.lie_at(inputs_->bytes().subspan(number * kBlockBytes, kBlockBytes),
                  outputs_->bytes().subspan(number * kBlockBytes, kBlockBytes));
  }
  [[nodiscard]] std::atomic<std::uint64_t>* word(std::size_t ring, std::size_t number) const {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(rings_[ring]->bytes().data()) + number;
  }

 private:
  static std::unique_ptr<Mapping> pages(std::size_t bytes) {
    auto memory = map_pages(-1, bytes, Access::kReadWrite);
    REQUIRE(memory.ok());
    return std::move(memory).value();
  }
  std::uint32_t stage_;
  bool registered_;
  std::uint16_t in_ = 0, out_ = 0;
  std::unique_ptr<Mapping> inputs_, outputs_;
  std::array<std::unique_ptr<Mapping>, kRings> rings_;
};

std::size_t size_of(std::size_t number) {
  constexpr std::array<std::size_t, 6> kSizes{1, 1000, 16 << 10, (16 << 10) + 1, 40'000, 0};
  return kSizes[number % kSizes.size()];
}

// Firings, each with packets in one ring or two, and the firing that each word of a ring is of.
struct Work {
  Work(Rig& rig, Shared& shared, std::uint32_t stage) {
    for (std::uint32_t i = 0; i < kFirings; ++i) {
      firings.emplace_back(rig, stage, pattern(size_of(i), i), i);
      shared.give_blocks(firings[i], i);
      add(shared, i, i % kRings);
      if (i % 4 == 0) add(shared, i, i % kRings), add(shared, i, (i + 1) % kRings);
      if (i % 5 == 0) publications[i].push_back({});  // for the host
      firings[i].publications = publications[i];
    }
  }
  void add(const Shared& shared, std::uint32_t firing, std::size_t ring) {
    words[ring].push_back(firing);
    publications[firing].push_back({shared.word(ring, words[ring].size() - 1), words[ring].size()});
  }
  std::array<std::vector<Publication>, kFirings> publications;
  std::array<std::vector<std::uint32_t>, kRings> words;
  std::deque<TestFiring> firings;
};

// Reads a ring as a consumer does. Answers with what is wrong; empty: nothing.
std::string read_ring(const Shared& shared, const Work& work, std::size_t ring, const std::atomic<bool>& stop) {
  const auto found = [&](std::size_t n) { return shared.word(ring, n)->load(std::memory_order_acquire); };
  for (std::size_t n = 0; n < work.words[ring].size(); ++n) {
    while (true) {
      const bool behind = n + 1 < work.words[ring].size() && found(n + 1) != 0;
      if (found(n) != 0) break;
      if (behind) return "packet " + std::to_string(n + 1) + " is out, and the one before it is not";
      if (stop) return "packet " + std::to_string(n) + " never came";
      std::this_thread::yield();
    }
    if (found(n) != n + 1) return "the word of packet " + std::to_string(n) + " is " + std::to_string(found(n));
    const TestFiring& firing = work.firings[work.words[ring][n]];
    const std::uint8_t *in = firing.input.data, *out = firing.output.data;
    for (std::size_t k = firing.input.bytes; k-- > 0;)  // the device wrote the last bytes last
      if (out[k] != static_cast<std::uint8_t>(~in[k]))
        return "packet " + std::to_string(n) + " came before byte " + std::to_string(k) + " of its payload";
  }
  return "";
}

// Threads that read the rings from their start on, and stop at the latest with this object.
class Readers {
 public:
  Readers(const Shared& shared, const Work& work) {
    for (std::size_t ring = 0; ring < kRings; ++ring)
      threads_.emplace_back([&, ring] { wrong_[ring] = read_ring(shared, work, ring, stop_); });
  }
  ~Readers() { stop(); }
  // Faults that each found; all packets are out.
  const std::array<std::string, kRings>& stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return wrong_;
  }

 private:
  std::atomic<bool> stop_{false};
  std::array<std::string, kRings> wrong_;
  std::deque<std::thread> threads_;
};

// Calls `test` with a loaded back-end, for a stage of queues and for one of a worker, with memory that the back-end may
// register and with memory that it may not.
void for_each_way(void (*test)(Rig& rig, Shared& shared, std::uint32_t stage)) {
  for (const std::uint32_t stage : {kInvert, kStay}) {
    for (const bool registered : {true, false}) {
      std::optional<Shared> shared;  // outlives the back-end
      Rig rig;
      if (stage == kStay && !has_workers(rig.row())) continue;
      shared.emplace(rig, stage, registered);
      rig.load(true);
      REQUIRE(rig.backend().map(shared->mappings()).ok());
      INFO("stage '" << rig.plan().stages[stage].name << "', " << (registered ? "registered" : "not registered"));
      test(rig, *shared, stage);
    }
  }
}

TEST_CASE("a packet that the device publishes comes after its payload, and in the order of the starts") {
  for_each_way([](Rig& rig, Shared& shared, std::uint32_t stage) {
    if (!publishes(rig)) return;
    Work work(rig, shared, stage);
    Readers readers(shared, work);
    for (TestFiring& firing : work.firings) rig.start(firing);
    for (TestFiring& firing : work.firings) {
      rig.wait_for(firing);
      CHECK(firing.code == Code::kOk);
      for (const Publication& publication : firing.publications)
        if (publication.word != nullptr) CHECK(publication.word->load() == publication.value);
    }
    for (const std::string& text : readers.stop()) CHECK(text == "");
  });
}

TEST_CASE("once a packet or a completion can be seen, all packets up to it and their payloads can", "[published]") {
  for_each_way([](Rig& rig, Shared& shared, std::uint32_t stage) {
    if (!publishes(rig)) return;
    for (std::uint32_t i = 0; i < kRingBytes / sizeof(std::uint64_t) / 2; ++i) {
      const auto data = pattern(100 + 2 * i, i);
      const auto expected = rig.expected(kInvert, data);
      TestFiring firing(rig, stage, data, i);
      shared.give_blocks(firing, 0);
      const std::array publications{Publication{shared.word(0, 2 * i), 2 * i + 1},
                                    Publication{shared.word(0, 2 * i + 1), 2 * i + 2}};
      firing.publications = publications;
      rig.start(firing);
      const auto result = firing.result();
      const auto limit = std::chrono::steady_clock::now() + patience();
      std::array<Firing*, 1> done{};
      const auto came = [&] {
        return i % 2 == 0 ? publications[1].word->load(std::memory_order_acquire) != 0 : rig.backend().poll(done) != 0;
      };
      while (!came())  // never yields: it would look too late
        if (std::chrono::steady_clock::now() > limit) FAIL("firing " << i << " never ended");
      for (const Publication& publication : publications)
        REQUIRE(publication.word->load(std::memory_order_acquire) != 0);
      REQUIRE(std::equal(result.rbegin(), result.rend(), expected.rbegin(), expected.rend()));
      if (done[0] == nullptr) rig.wait_for(firing);
    }
  });
}

TEST_CASE("what lies in mapped memory is computed there") {
  for_each_way([](Rig& rig, Shared& shared, std::uint32_t stage) {
    for (std::uint32_t i = 0; i < 12; ++i) {
      const auto data = pattern(size_of(i), i);
      TestFiring firing(rig, stage, data, i);
      shared.give_blocks(firing, i);
      rig.run(firing);
      REQUIRE(firing.code == Code::kOk);
      CHECK((std::ranges::equal(firing.result(), rig.expected(kInvert, data))));
    }
  });
}

TEST_CASE("blocks are the controller's again when their firing has completed", "[blocks]") {
  for_each_way([](Rig& rig, Shared& shared, std::uint32_t stage) {
    constexpr std::uint8_t kSpoilt = 0xA5;
    std::deque<TestFiring> firings;
    const auto spoil = [](const void* at, std::size_t bytes) { std::memset(const_cast<void*>(at), kSpoilt, bytes); };
    const auto end = [&](std::uint32_t number) {
      TestFiring& firing = firings[number];
      const auto expected = rig.expected(kInvert, {firing.input.data, firing.input.bytes});
      rig.wait_for(firing);
      const auto result = firing.result();
      const bool right = std::equal(result.rbegin(), result.rend(), expected.rbegin(), expected.rend());
      spoil(firing.input.data, firing.input.bytes);
      spoil(firing.output.data, firing.output.bytes);
      REQUIRE(firing.code == Code::kOk);
      CHECK(right);
    };
    constexpr std::uint32_t kAtOnce = 4;
    for (std::uint32_t i = 0; i < kFirings; ++i) {
      if (i >= kAtOnce) end(i - kAtOnce);
      shared.give_blocks(firings.emplace_back(rig, stage, pattern(size_of(i), i), i), i);
      rig.start(firings.back());
    }
    for (std::uint32_t i = kFirings - kAtOnce; i < kFirings; ++i) end(i);
    const auto spoilt = [](std::uint8_t byte) { return byte == kSpoilt; };
    for (const TestFiring& firing : firings) CHECK(std::ranges::all_of(firing.result(), spoilt));  // nothing came late
  });
}

TEST_CASE("a device that was idle takes the next firing", "[idle]") {
  for_each_way([](Rig& rig, Shared& shared, std::uint32_t stage) {
    for (std::uint32_t i = 0; i < 24; ++i) {
      const auto data = pattern(1000, i);
      TestFiring firing(rig, stage, data, i);
      shared.give_blocks(firing, i);
      rig.run(firing);
      CHECK((std::ranges::equal(firing.result(), rig.expected(kInvert, data))));
      // A worker parks after 20 ms: before, at and after that moment.
      std::this_thread::sleep_for(std::chrono::microseconds(19'000 + 250 * (i % 12)));
    }
  });
}

TEST_CASE("completion outside poll() rings the doorbell of a sleeping controller", "[bell]") {
  for_each_way([](Rig& rig, Shared& shared, std::uint32_t stage) {
    if (!rig.row().asynchronous) return;
    const Doorbell owner(&rig.line());
    for (std::uint32_t i = 0; i < 20; ++i) {
      TestFiring firing(rig, stage, pattern(1000, i), i);
      shared.give_blocks(firing, i);
      const std::uint32_t before = rig.line().rings.load();
      owner.prepare();
      REQUIRE(rig.backend().start(firing) == Start::kStarted);
      const auto end = std::chrono::steady_clock::now() + patience();
      while (rig.line().rings.load() == before && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      REQUIRE(rig.line().rings.load() != before);
      owner.cancel();
      std::array<Firing*, 4> done{};
      REQUIRE(rig.backend().poll(done) == 1);  // what was rung for is there
      CHECK(done[0] == &firing);
    }
  });
}

TEST_CASE("two controllers may show the same memory to their devices") {
  Rig rig;
  Shared shared(rig, kInvert, true);
  rig.load(true);
  REQUIRE(rig.backend().map(shared.mappings()).ok());
  if (!publishes(rig)) return;
  const auto run = [&](Backend& backend, std::uint32_t number) {
    const auto data = pattern(20'000, number);
    TestFiring firing(rig, kInvert, data, number);
    shared.give_blocks(firing, number);
    const Publication publication{shared.word(0, number), number + 1};
    firing.publications = {&publication, 1};
    REQUIRE(backend.start(firing) == Start::kStarted);
    std::array<Firing*, 1> done{};
    while (backend.poll(done) == 0) std::this_thread::yield();
    CHECK(publication.word->load() == publication.value);
    CHECK((std::ranges::equal(firing.result(), rig.expected(kInvert, data))));
  };
  const std::unique_ptr<Backend> other = rig.make();
  REQUIRE(other->load(rig.plan(), rig.stages(), Doorbell()).ok());
  REQUIRE(other->map(shared.mappings()).ok());
  run(rig.backend(), 0);
  run(*other, 1);
  rig.destroy_backend();
  run(*other, 2);
}

TEST_CASE("memory that one controller shows for reading alone is written by another") {
  Rig rig;
  Shared shared(rig, kInvert, true);
  rig.load(true);
  std::vector<BackendMapping> read = shared.mappings();
  for (BackendMapping& mapping : read)
    if (mapping.region) mapping.access = Access::kRead;
  REQUIRE(rig.backend().map(read).ok());
  if (!publishes(rig)) return;
  const std::unique_ptr<Backend> other = rig.make();
  REQUIRE(other->load(rig.plan(), rig.stages(), Doorbell()).ok());
  REQUIRE(other->map(shared.mappings()).ok());
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto data = pattern(size_of(i), i);
    TestFiring firing(rig, kInvert, data, i);
    shared.give_blocks(firing, i);
    REQUIRE(other->start(firing) == Start::kStarted);
    std::array<Firing*, 1> done{};
    while (other->poll(done) == 0) std::this_thread::yield();
    CHECK((std::ranges::equal(firing.result(), rig.expected(kInvert, data))));
  }
  rig.destroy_backend();
}

TEST_CASE("a firing that fails in its start publishes nothing, and those behind it do") {
  Rig rig;
  Shared shared(rig, kInvert, true);
  rig.load(true);
  REQUIRE(rig.backend().map(shared.mappings()).ok());
  if (!publishes(rig)) return;
  const std::array publications{Publication{shared.word(0, 0), 1}, Publication{shared.word(0, 1), 2}};
  TestFiring failing(rig, kNarrow, pattern(kNarrowBytes + 1, 1), 0);
  failing.publications = {&publications[0], 1};
  REQUIRE(rig.start(failing) == Start::kCompleted);
  CHECK(failing.code == Code::kTooLarge);
  TestFiring next(rig, kInvert, pattern(10, 2), 1);
  next.publications = {&publications[1], 1};
  rig.run(next);
  CHECK(next.code == Code::kOk);
  CHECK(shared.word(0, 0)->load() == 0);
  CHECK(shared.word(0, 1)->load() == 2);
  rig.destroy_backend();
}

}  // namespace
}  // namespace woa::test
