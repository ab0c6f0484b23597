// Modules and kernels, and faults within them.
#include <cstring>

#include "tests/unit/doubles/cuda/driver_rig.h"

namespace woa::cuda {
namespace {

constexpr char kHead[] = ".version 6.3\n.target sm_75\n.address_size 64\n";

// Loads a text; the log is what the driver wrote.
Result load(Rig& rig, const std::string& text, std::string& log) {
  char buffer[256] = "";
  JitOption names[] = {kJitErrorLog, kJitErrorLogBytes};
  void* values[] = {buffer, reinterpret_cast<void*>(sizeof buffer)};
  const Result result = rig.module_load(&rig.module, text.c_str(), 2, names, values);
  log = buffer;
  return result;
}

// Runs "post_fence" and the like again and again: how often its words were not there with its flag.
int late_posts(Rig& rig, const char* name) {
  int late = 0;
  for (std::uint64_t n = 1; n <= 100; ++n) {
    NEED(rig.run(name, rig.first, {rig.device_of(rig.word(64)), rig.device_of(rig.word()), n}) == kSuccess);
    NEED(rig.await(n));
    bool all = true;
    for (std::size_t k = 0; k < 16; ++k) all = all && __atomic_load_n(rig.word(64 + k), __ATOMIC_RELAXED) == n;
    late += !all;
    rig.set(n, 1);
    NEED(rig.stream_synchronize(rig.first) == kSuccess);
  }
  return late;
}

int posts_by(const char* name) {
  Rig rig;
  rig.load_kernels();
  const int late = late_posts(rig, name);
  rig.end();
  return late == 0 ? 0 : 1;
}

// The kernel reads old words, then the host's flag, then the words.
int takes() {
  Rig rig;
  rig.load_kernels();
  bool right = true;
  for (std::uint64_t n = 1; n <= 30; ++n) {
    rig.set(0), rig.set(0, 32), rig.set(1'000'000, 33);
    const DevicePtr sums = rig.device_of(rig.word(32));
    NEED(rig.run("take", rig.first, {rig.device_of(rig.word(64)), rig.device_of(rig.word()), sums}) == kSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (std::size_t k = 0; k < 16; ++k) __atomic_store_n(rig.word(64 + k), n, __ATOMIC_RELAXED);
    rig.set(1);
    NEED(rig.stream_synchronize(rig.first) == kSuccess);
    right = right && rig.load(32) == 16 * n;
  }
  rig.end();
  return right ? 0 : 1;
}

int exchanges() {
  constexpr unsigned kThreads = 64;
  Rig rig;
  rig.load_kernels();
  bool right = true;
  for (int n = 0; n < 20; ++n) {
    std::memset(rig.host, 0, Rig::kBytes);
    const DevicePtr out = rig.device_of(rig.word(1024));
    NEED(rig.run("exchange", rig.first, {rig.device_of(rig.word()), kThreads, out}, kThreads) == kSuccess);
    NEED(rig.stream_synchronize(rig.first) == kSuccess);
    for (unsigned k = 0; k < kThreads; ++k) right = right && rig.load(1024 + k) == (k + 1) % kThreads + 1;
  }
  rig.end();
  return right ? 0 : 1;
}

// A context that failed with `code`: every later call says so, and work that was queued never happens.
void require_failed(Rig& rig, Result code) {
  static std::atomic<bool> ran{false};
  NEED(rig.await_error(rig.first) == code);
  const auto run = [](void*) { ran.store(true); };
  DevicePtr at = 0;
  NEED(rig.stream_host_function(rig.second, run, nullptr) == code && rig.memory_alloc(&at, 8) == code);
  NEED(rig.event_query(rig.event) == code && rig.stream_synchronize(rig.second) == code);
  NEED(rig.stream_query(rig.second) == code && rig.host_free(rig.host) == code);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  NEED(!ran.load() && rig.load() == 0);
  NEED(rig.context_destroy(rig.context) == code);
  NEED(rig.stream_query(rig.second) == kInvalidContext);
}

// A write and a host function behind the failing launch.
void queue_behind(Rig& rig) {
  rig.stream_write_value(rig.first, rig.device_of(rig.word()), 9, 0);  // which may fail already
  rig.event_record(rig.event, rig.first);
}

}  // namespace

TEST_CASE("a kernel's results are right") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    rig.load_kernels();
    NEED(rig.run("fill", rig.first, {rig.device, 1000, 5}, 256, 4) == kSuccess);
    NEED(rig.copy_to_host_async(rig.host, rig.device, 8008, rig.first) == kSuccess);
    NEED(rig.stream_synchronize(rig.first) == kSuccess);
    for (std::size_t k = 0; k < 1000; ++k) NEED(rig.load(k) == 5 + k);
    NEED(rig.load(1000) == 0xa5a5a5a5a5a5a5a5);
    DevicePtr at = 0;
    std::size_t bytes = 0;
    std::uint64_t answer[2] = {};
    NEED(rig.module_global(&at, &bytes, rig.module, "answer") == kSuccess && bytes == sizeof answer);
    NEED(rig.copy_to_host(answer, at, bytes) == kSuccess && answer[0] == 42 && answer[1] == 43);
    NEED(rig.module_global(&at, &bytes, rig.module, "question") == kNotFound);
    Function function = nullptr;
    NEED(rig.module_function(&function, rig.module, "nothing") == kNotFound);
    rig.end();
    return 0;
  });
}

TEST_CASE("a launch is checked") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    rig.load_kernels();
    const Function fill = rig.function("fill");
    std::array<std::uint64_t, 3> words{rig.device, 1, 1};
    std::size_t bytes = sizeof words;
    void* extra[] = {kLaunchBuffer, words.data(), kLaunchBufferBytes, &bytes, kLaunchEnd};
    NEED(rig.launch(fill, 1, 1, 1, 1025, 1, 1, 0, rig.first, nullptr, extra) == kInvalidValue);
    NEED(rig.launch(fill, 1, 1, 1, 33, 32, 1, 0, rig.first, nullptr, extra) == kLaunchOutOfResources);
    NEED(rig.launch(fill, 1, 1, 1, 0, 1, 1, 0, rig.first, nullptr, extra) == kInvalidValue);
    NEED(rig.launch(fill, 1, 65536, 1, 1, 1, 1, 0, rig.first, nullptr, extra) == kInvalidValue);
    NEED(rig.launch(fill, 1, 1, 1, 1, 1, 1, 0, rig.first, nullptr, nullptr) == kInvalidValue);
    NEED(rig.launch(fill, 1, 1, 1, 1, 1, 1, 50 << 10, rig.first, nullptr, extra) == kLaunchOutOfResources);
    NEED(rig.function_set_attribute(fill, kFunctionMaxDynamicShared, 65 << 10) == kInvalidValue);
    NEED(rig.function_set_attribute(fill, kFunctionMaxDynamicShared, 50 << 10) == kSuccess);
    NEED(rig.launch(fill, 1, 1, 1, 1, 1, 1, 50 << 10, rig.first, nullptr, extra) == kSuccess);
    int value = 0;
    NEED(rig.function_attribute(&value, kFunctionMaxThreads, fill) == kSuccess && value == 1024);
    bytes -= 8;
    NEED(rig.launch(fill, 1, 1, 1, 1, 1, 1, 0, rig.first, nullptr, extra) == kInvalidValue);
    rig.end();
    return 0;
  });
}

TEST_CASE("modules are refused with a reason") {
  const auto refused = [](Result code, const std::string& text, const char* part) {
    return [=] {
      Rig rig;
      std::string log;
      NEED(load(rig, text, log) == code);
      std::fprintf(stderr, "%s\n", log.c_str());
      NEED(log.find(part) != std::string::npos);
      rig.module = nullptr;
      rig.end();
      return 0;
    };
  };
  const std::string newer = ".version 7.5\n.target sm_75\n.address_size 64\n";
  REQUIRE_PASSES("", refused(kInvalidPtx, std::string(kHead) + "nonsense\n", "nonsense"));
  REQUIRE_PASSES("", refused(kInvalidPtx, ".version 6.3\n.target sm_80\n.address_size 64\n", "sm_75"));
  REQUIRE_PASSES("driver=11040", refused(kUnsupportedPtxVersion, newer, ".version"));
  REQUIRE_PASSES("fail=ptx_version", refused(kUnsupportedPtxVersion, kHead, ".version"));
  REQUIRE_PASSES("driver=11050", [newer] {
    Rig rig;
    std::string log;
    NEED(load(rig, newer, log) == kSuccess);
    rig.end();
    return 0;
  });
}

TEST_CASE("a kernel publishes by fence, release, acquire and barrier, and is found out without") {
  const auto code = [](const char* options, auto body) {
    const Ended ended = run_with(options, body);
    INFO(options << ended.log);
    CHECK(ended.exit_code() >= 0);
    return ended.exit_code();
  };
  const auto fence = [] { return posts_by("post_fence"); };
  const auto release = [] { return posts_by("post_release"); };
  CHECK(code("", fence) == 0);
  CHECK(code("ignore=fence", fence) == 1);
  CHECK(code("", release) == 0);
  CHECK(code("", &takes) == kRaces);
  CHECK(code("ignore=acquire", &takes) == 1);
  CHECK(code("", &exchanges) == 0);
  CHECK(code("ignore=barrier", &exchanges) == 1);
  CHECK(code("ignore=barrier_order", &exchanges) == 1);
}

TEST_CASE("an illegal address ends all work of the context") {
  static DevicePtr (*const places[])(Rig&) = {
      [](Rig& rig) { return rig.device + Rig::kBytes; },
      [](Rig& rig) { return rig.device - 1; },
      [](Rig&) { return DevicePtr{0}; },
      [](Rig&) {
        static std::byte pageable;
        return reinterpret_cast<DevicePtr>(&pageable);
      },
  };
  for (static std::size_t place; place < std::size(places); ++place) {
    REQUIRE_PASSES("", [] {
      Rig rig;
      rig.load_kernels();
      NEED(rig.run("poke", rig.first, {places[place](rig), 0, 0}) == kSuccess);
      queue_behind(rig);
      require_failed(rig, kIllegalAddress);
      return 0;
    });
  }
  REQUIRE_PASSES("", [] {  // a store to what is registered for reading
    static std::byte page[4096];
    Rig rig;
    rig.load_kernels();
    DevicePtr at = 0;
    NEED(rig.host_register(page, sizeof page, kRegisterReadOnly) == kSuccess);
    NEED(rig.host_device_pointer(&at, page, 0) == kSuccess);
    NEED(rig.run("poke", rig.first, {at, 0, 0}) == kSuccess);
    NEED(rig.await_error(rig.first) == kIllegalAddress && page[0] == std::byte{0});
    return 0;
  });
}

TEST_CASE("registered memory is the kernels', unless registration is ignored") {
  const auto body = [] {
    static std::uint64_t words[512];
    Rig rig;
    rig.load_kernels();
    DevicePtr at = 0;
    NEED(rig.host_register(words, sizeof words, kRegisterMapped) == kSuccess);
    NEED(rig.host_device_pointer(&at, words, 0) == kSuccess);
    NEED(rig.run("fill", rig.first, {at, 512, 7}, 512) == kSuccess);
    const Result result = rig.stream_synchronize(rig.first);
    if (result != kSuccess) return result == kIllegalAddress ? 1 : 2;
    NEED(words[511] == 7 + 511 && rig.host_unregister(words) == kSuccess);
    rig.end();
    return 0;
  };
  REQUIRE(run_with("", body).exit_code() == 0);
  REQUIRE(run_with("ignore=registration", body).exit_code() == 1);
}

TEST_CASE("a launch fails by its number") {
  const auto body = [](Result code) {
    return [code] {
      Rig rig;
      rig.load_kernels();
      NEED(rig.run("fill", rig.first, {rig.device, 1, 1}) == kSuccess && rig.stream_synchronize(rig.first) == kSuccess);
      NEED(rig.run("fill", rig.first, {rig.device, 1, 1}) == kSuccess);
      queue_behind(rig);
      require_failed(rig, code);
      Context context = nullptr;
      NEED(rig.context_create(&context, 0, 0) == (code == kUnknown ? kUnknown : kSuccess));
      return 0;
    };
  };
  REQUIRE_PASSES("fail=illegal_address@2", body(kIllegalAddress));
  REQUIRE_PASSES("fail=lost@2", body(kUnknown));
}

TEST_CASE("the first error is not forgotten, unless sticky is ignored") {
  const Ended ended = run_with("fail=illegal_address@1,ignore=sticky", [] {
    Rig rig;
    rig.load_kernels();
    NEED(rig.run("fill", rig.first, {rig.device, 1, 1}) == kSuccess);
    NEED(rig.await_error(rig.first) == kIllegalAddress);
    NEED(rig.run("fill", rig.first, {rig.device, 1, 1}) == kSuccess);
    rig.end();
    return 0;
  });
  INFO(ended.log);
  REQUIRE(ended.status == 0);
}

TEST_CASE("a launch may never end") {
  const Ended ended = run_with("fail=endless@1", [] {
    Rig rig;
    rig.load_kernels();
    NEED(rig.run("fill", rig.first, {rig.device, 1, 1}) == kSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    NEED(rig.stream_query(rig.first) == kNotReady && rig.stream_query(rig.second) == kSuccess);
    std::exit(0);  // no leak is reported: nothing can be given back
    return 0;
  });
  REQUIRE(ended.exit_code() == 0);
  REQUIRE(ended.log.find("leak") == std::string::npos);
}

TEST_CASE("a worker sees what the host writes, and the host its end") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    rig.load_kernels();
    NEED(rig.run("wait_resident", rig.first, {rig.device_of(rig.word()), 0, 0}) == kSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    NEED(rig.stream_query(rig.first) == kNotReady);
    rig.set(1);
    while (rig.stream_query(rig.first) == kNotReady) std::this_thread::yield();
    rig.end();
    return 0;
  });
}

}  // namespace woa::cuda
