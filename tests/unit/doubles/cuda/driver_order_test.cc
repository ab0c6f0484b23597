// Order: events and the host order streams, nothing else does; and each ignored word breaks the order that it names.
#include <cstring>
#include <ctime>
#include <vector>

#include "tests/unit/doubles/cuda/driver_rig.h"

namespace woa::cuda {
namespace {

constexpr std::size_t kIn = 4096, kOut = 32768, kSize = 8192;

bool holds_only(const std::byte* at, std::size_t bytes, int value) {
  return std::all_of(at, at + bytes, [&](std::byte one) { return one == static_cast<std::byte>(value); });
}

// A firing as a back-end makes it: input by the copy engine, a kernel, output by the copy engine, an event; a second
// stream waits for it and publishes. Returns at the first fault: 1, an output was not there when the word said so; 2, a
// word never came.
int first_fault(Rig& rig, int count) {
  const DevicePtr scratch = rig.device + kOut;
  for (int n = 1; n <= count; ++n) {
    std::memset(rig.host + kIn, n, kSize);
    std::memset(rig.host + kOut, 0, kSize);
    NEED(rig.copy_to_device_async(rig.device, rig.host + kIn, kSize, rig.first) == kSuccess);
    NEED(rig.run("copy", rig.first, {scratch, rig.device, kSize / 8}, 256, 4) == kSuccess);
    NEED(rig.copy_to_host_async(rig.host + kOut, scratch, kSize, rig.first) == kSuccess);
    NEED(rig.event_record(rig.event, rig.first) == kSuccess);
    NEED(rig.stream_wait_event(rig.second, rig.event, 0) == kSuccess);
    NEED(rig.stream_write_value(rig.second, rig.device_of(rig.word()), static_cast<std::uint64_t>(n), 0) == kSuccess);
    if (!rig.await(static_cast<std::uint64_t>(n))) return 2;
    if (!holds_only(rig.host + kOut, kSize, n)) return 1;
  }
  return 0;
}

int firings(int count) {
  Rig rig;
  rig.load_kernels();
  if (const int fault = first_fault(rig, count); fault != 0) _exit(fault);
  rig.end();
  return 0;
}

void require_found(const char* options, int code, int (*body)()) {
  const Ended ended = run_with(options, body);
  INFO(options << ended.log);
  REQUIRE(ended.exit_code() == code);
}

}  // namespace

TEST_CASE("events order streams, whatever the seed") {
  for (int seed = 1; seed <= 20; ++seed) REQUIRE_PASSES("seed=" + std::to_string(seed), [] { return firings(10); });
}

TEST_CASE("contexts work beside each other") {
  REQUIRE_PASSES("", [] {
    NEED(Cuda().init(0) == kSuccess);
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; ++k) threads.emplace_back([] { firings(20); });
    for (std::thread& thread : threads) thread.join();
    return 0;
  });
}

TEST_CASE("an idle double takes no processor time") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    NEED(rig.stream_write_value(rig.first, rig.device_of(rig.word()), 1, 0) == kSuccess && rig.await(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    NEED(std::clock() - before < CLOCKS_PER_SEC / 100);
    rig.end();
    return 0;
  });
}

TEST_CASE("what a firing is ordered by is missed when it is ignored") {
  const auto body = [] { return firings(1000); };
  require_found("ignore=event_wait", 1, body);
  require_found("ignore=event_record", 1, body);
  require_found("ignore=write_barrier", 1, body);
  require_found("ignore=write_value", 2, body);
  require_found("ignore=copy", 1, body);
  require_found("ignore=copy_order", 1, body);
  require_found("ignore=stream_order", 1, body);
  require_found("ignore=launch", 1, body);
}

TEST_CASE("nothing orders two streams but events") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    bool reversed = false, in_order = false;
    for (int n = 1; n <= 10000 && !(reversed && in_order); ++n) {
      const auto value = static_cast<std::uint64_t>(n);
      NEED(rig.stream_write_value(rig.first, rig.device_of(rig.word(0)), value, 0) == kSuccess);
      NEED(rig.stream_write_value(rig.second, rig.device_of(rig.word(1)), value, 0) == kSuccess);
      NEED(rig.await(value, 1));
      (rig.load(0) == value ? in_order : reversed) = true;
      NEED(rig.await(value, 0));
    }
    NEED(reversed && in_order);
    rig.end();
    return 0;
  });
}

TEST_CASE("written values of a stream keep their order, unless write_order is ignored") {
  const auto body = [] {
    Rig rig;
    bool back = false;
    for (std::uint64_t n = 1; n <= 200; ++n)
      NEED(rig.stream_write_value(rig.first, rig.device_of(rig.word()), n, 0) == kSuccess);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (std::uint64_t last = 0, seen = 0; seen < 200 && std::chrono::steady_clock::now() < end; last = seen) {
      seen = rig.load();
      back = back || seen < last;
    }
    NEED(rig.stream_synchronize(rig.first) == kSuccess);
    return back || rig.load() != 200 ? 1 : (rig.end(), 0);
  };
  require_found("", 0, body);
  require_found("ignore=write_order", 1, body);
}

TEST_CASE("host functions run in their stream's order, on a thread of the driver") {
  struct Seen {
    Rig* rig;
    std::thread::id thread;
    bool right;
  };
  const auto body = [] {
    Rig rig;
    bool right = true;
    Seen seen{&rig, {}, false};
    for (int n = 1; n <= 20; ++n) {
      seen = {&rig, {}, false};
      NEED(rig.copy_to_host_async(rig.host + kOut, rig.device, kSize, rig.first) == kSuccess);
      NEED(rig.stream_host_function(
               rig.first,
               [](void* at) {
                 auto& mine = *static_cast<Seen*>(at);
                 mine.thread = std::this_thread::get_id();
                 mine.right = holds_only(mine.rig->host + kOut, kSize, 0xa5);
               },
               &seen) == kSuccess);
      NEED(rig.stream_synchronize(rig.first) == kSuccess);
      right = right && seen.right && seen.thread != std::this_thread::get_id();
      std::memset(rig.host + kOut, 0, kSize);
    }
    return right ? (rig.end(), 0) : 1;
  };
  require_found("", 0, body);
  require_found("ignore=bell", 1, body);
  require_found("ignore=host_function_order", 1, body);
}

TEST_CASE("the host sees the end of a stream's work by synchronising and by asking") {
  const auto synchronise = [] {
    Rig rig;
    for (int n = 0; n < 100; ++n) {
      std::memset(rig.host + kOut, 0, kSize);
      NEED(rig.copy_to_host_async(rig.host + kOut, rig.device, kSize, rig.first) == kSuccess);
      NEED(rig.stream_synchronize(rig.first) == kSuccess);
      if (!holds_only(rig.host + kOut, kSize, 0xa5)) return 1;
    }
    rig.end();
    return 0;
  };
  const auto ask = [] {
    Rig rig;
    for (int n = 0; n < 100; ++n) {
      std::memset(rig.host + kOut, 0, kSize);
      NEED(rig.copy_to_host_async(rig.host + kOut, rig.device, kSize, rig.first) == kSuccess);
      NEED(rig.event_record(rig.event, rig.first) == kSuccess);
      while ((n % 2 == 0 ? rig.stream_query(rig.first) : rig.event_query(rig.event)) == kNotReady)
        std::this_thread::yield();
      if (!holds_only(rig.host + kOut, kSize, 0xa5)) return 1;
    }
    rig.end();
    return 0;
  };
  require_found("", 0, synchronise);
  require_found("", 0, ask);
  require_found("ignore=query", 1, ask);
}

TEST_CASE("an asynchronous copy reads its source late") {
  const Ended ended = run_with("", [] {
    Rig rig;
    bool late = false;
    for (int n = 0; n < 10000 && !late; ++n) {
      rig.set(1);
      NEED(rig.copy_to_device_async(rig.device, rig.host, 8, rig.first) == kSuccess);
      rig.set(2);
      NEED(rig.stream_synchronize(rig.first) == kSuccess);
      std::uint64_t value = 0;
      NEED(rig.copy_to_host(&value, rig.device, 8) == kSuccess);
      late = value == 2;
    }
    NEED(late);
    rig.end();
    return 0;
  });
  INFO(ended.log);
  REQUIRE(ended.exit_code() == kRaces);
}

TEST_CASE("events tell the time between them") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    Event begin = nullptr, end = nullptr;
    float ms = -1;
    NEED(rig.event_create(&begin, 0) == kSuccess && rig.event_create(&end, 0) == kSuccess);
    NEED(rig.event_query(begin) == kSuccess);
    NEED(rig.event_elapsed_ms(&ms, begin, end) == kInvalidHandle);
    NEED(rig.event_record(begin, rig.first) == kSuccess);
    const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    NEED(rig.stream_host_function(rig.first, sleep, nullptr) == kSuccess);
    NEED(rig.event_record(end, rig.first) == kSuccess);
    NEED(rig.event_elapsed_ms(&ms, begin, end) == kNotReady);
    NEED(rig.stream_synchronize(rig.first) == kSuccess);
    NEED(rig.event_elapsed_ms(&ms, begin, end) == kSuccess && ms >= 20 && ms < 20000);
    NEED(rig.event_elapsed_ms(&ms, begin, rig.event) == kInvalidHandle);  // without timing
    NEED(rig.event_destroy(begin) == kSuccess && rig.event_destroy(end) == kSuccess);
    rig.end();
    return 0;
  });
}

}  // namespace woa::cuda
