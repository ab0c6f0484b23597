// Rules that the double enforces: a broken one ends the process with a line that names it.
#include <sys/mman.h>

#include <atomic>

#include "tests/unit/doubles/cuda/driver_rig.h"

namespace woa::cuda {
namespace {

using Body = Result (*)(Rig&);

// Both ends of a rule: by default it aborts; under rules=errors the call fails.
void require_rule(const std::string& rule, Body body, const std::string& options = "rules=errors") {
  const auto run = [&](const std::string& words) {
    return run_with(words, [&] {
      Rig rig;
      const Result result = body(rig);
      std::fflush(stderr);
      _exit(result == kNotPermitted ? 33 : 34);
      return 0;
    });
  };
  const std::size_t rest = options.find(',');
  const Ended strict = run(rest == std::string::npos ? "" : options.substr(rest + 1));
  INFO(strict.log);
  REQUIRE(strict.aborted());
  REQUIRE(strict.log.find("woa_cuda_double: " + rule + ": ") != std::string::npos);
  const Ended lenient = run(options);
  INFO(lenient.log);
  REQUIRE(lenient.exit_code() == 33);
}

// A stream that waits until the test lets it go on, by a host function.
struct Gate {
  std::atomic<bool> open{false};
  static void wait(void* gate) {
    while (!static_cast<Gate*>(gate)->open.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

Result within_host_function(Rig& rig, void (*function)(void*), void* user) {
  NEED(rig.stream_host_function(rig.first, function, user) == kSuccess);
  NEED(rig.stream_synchronize(rig.first) == kSuccess);
  return kSuccess;
}

}  // namespace

TEST_CASE("rule fork: no process forks that has woken the driver") {
  require_rule("fork", [](Rig&) -> Result {
    test::Child child([] { return 33; });
    return child.exit_code() == 33 ? kNotPermitted : kSuccess;
  });
}

TEST_CASE("rule legacy_stream: no call takes the null stream") {
  require_rule("legacy_stream", [](Rig& rig) { return rig.copy_to_device_async(rig.device, rig.host, 8, nullptr); });
  require_rule("legacy_stream", [](Rig& rig) { return rig.copy_to_host_async(rig.host, rig.device, 8, nullptr); });
  require_rule("legacy_stream", [](Rig& rig) { return rig.stream_write_value(nullptr, rig.device, 1, 0); });
  require_rule("legacy_stream", [](Rig& rig) { return rig.stream_wait_event(nullptr, rig.event, 0); });
  require_rule("legacy_stream", [](Rig& rig) { return rig.event_record(rig.event, nullptr); });
  require_rule("legacy_stream", [](Rig& rig) { return rig.stream_query(nullptr); });
  require_rule("legacy_stream", [](Rig& rig) { return rig.stream_synchronize(nullptr); });
  require_rule("legacy_stream", [](Rig& rig) { return rig.stream_host_function(nullptr, &Gate::wait, nullptr); });
  require_rule("legacy_stream", [](Rig& rig) {
    rig.load_kernels();
    return rig.run("poke", nullptr, {rig.device, 0, 0});
  });
}

TEST_CASE("rule blocking_stream: a stream does not wait for the null stream") {
  require_rule("blocking_stream", [](Rig& rig) { return rig.stream_create(&rig.first, 0, 0); });
}

TEST_CASE("rule host_function: host functions call nothing of CUDA") {
  struct Call {
    Rig* rig;
    Result result;
  };
  require_rule("host_function", [](Rig& rig) {
    Call call{&rig, kSuccess};
    within_host_function(
        rig,
        [](void* at) {
          auto& mine = *static_cast<Call*>(at);
          mine.result = mine.rig->event_query(mine.rig->event);
        },
        &call);
    return call.result;
  });
  require_rule("host_function", [](Rig& rig) {
    Call call{&rig, kSuccess};
    within_host_function(
        rig,
        [](void* at) {
          auto& mine = *static_cast<Call*>(at);
          const char* name = nullptr;
          mine.result = mine.rig->error_name(kSuccess, &name);
        },
        &call);
    return call.result;
  });
}

TEST_CASE("rule pageable: an asynchronous copy needs memory that the device reaches") {
  require_rule("pageable", [](Rig& rig) {
    std::byte local[8] = {};
    return rig.copy_to_device_async(rig.device, local, sizeof local, rig.first);
  });
  require_rule("pageable", [](Rig& rig) {
    return rig.copy_to_host_async(rig.host + Rig::kBytes - 4, rig.device, 8, rig.first);  // in part
  });
}

TEST_CASE("rule in_use: memory stays while queued work uses it") {
  static Gate gate;
  require_rule("in_use", [](Rig& rig) {
    NEED(rig.stream_host_function(rig.first, &Gate::wait, &gate) == kSuccess);
    NEED(rig.copy_to_device_async(rig.device, rig.host, 8, rig.first) == kSuccess);
    return rig.memory_free(rig.device);
  });
  require_rule("in_use", [](Rig& rig) {
    NEED(rig.stream_host_function(rig.first, &Gate::wait, &gate) == kSuccess);
    NEED(rig.stream_write_value(rig.first, rig.device_of(rig.host), 1, 0) == kSuccess);
    return rig.host_free(rig.host);
  });
  require_rule("in_use", [](Rig& rig) {
    void* const at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED(rig.host_register(at, 4096, 0) == kSuccess);
    NEED(rig.stream_host_function(rig.first, &Gate::wait, &gate) == kSuccess);
    NEED(rig.copy_to_host_async(at, rig.device, 8, rig.first) == kSuccess);
    return rig.host_unregister(at);
  });
  require_rule("in_use", [](Rig& rig) {  // by a kernel, as its parameters tell
    rig.load_kernels();
    NEED(rig.stream_host_function(rig.first, &Gate::wait, &gate) == kSuccess);
    NEED(rig.run("poke", rig.first, {rig.device + 5, 0, 0}) == kSuccess);
    return rig.memory_free(rig.device);
  });
  require_rule("in_use", [](Rig& rig) {
    rig.load_kernels();
    NEED(rig.stream_host_function(rig.first, &Gate::wait, &gate) == kSuccess);
    NEED(rig.run("poke", rig.first, {rig.device, 0, 0}) == kSuccess);
    return rig.module_unload(rig.module);
  });
}

TEST_CASE("rule handle: handles are right, and die once") {
  require_rule("handle", [](Rig& rig) { return rig.stream_query(reinterpret_cast<Stream>(&rig)); });
  require_rule("handle", [](Rig& rig) { return rig.event_query(reinterpret_cast<Event>(rig.first)); });
  require_rule("handle", [](Rig& rig) {
    NEED(rig.stream_destroy(rig.first) == kSuccess);
    return rig.stream_destroy(rig.first);
  });
  require_rule("handle", [](Rig& rig) {
    NEED(rig.event_destroy(rig.event) == kSuccess);
    return rig.event_record(rig.event, rig.first);
  });
  require_rule("handle", [](Rig& rig) {
    NEED(rig.memory_free(rig.device) == kSuccess);
    return rig.memory_free(rig.device);
  });
  require_rule("handle", [](Rig& rig) {
    NEED(rig.host_free(rig.host) == kSuccess);
    return rig.host_free(rig.host);
  });
  require_rule("handle", [](Rig& rig) {
    rig.load_kernels();
    NEED(rig.module_unload(rig.module) == kSuccess);
    return rig.module_unload(rig.module);
  });
  require_rule("handle", [](Rig& rig) {
    Rig other;
    return rig.stream_query(rig.first);  // the other context is current
  });
  require_rule("handle", [](Rig& rig) {
    Context other = nullptr;
    NEED(rig.context_create(&other, 0, 0) == kSuccess && rig.context_destroy(other) == kSuccess);
    return rig.context_destroy(other);
  });
}

TEST_CASE("rule leak: a healthy context gives all back") {
  require_rule("leak", [](Rig& rig) { return rig.context_destroy(rig.context); });
  const Ended ended = run_with("rules=errors", [] {
    Rig rig;
    rig.load_kernels();
    std::exit(0);
    return 0;
  });
  REQUIRE(ended.log ==
          "woa_cuda_double: leak: exit: a context was not destroyed; it has 2 streams, 1 events, 1 modules, 1 device "
          "allocations, 1 host allocations\n");
}

TEST_CASE("rule version: a newer function is not taken for the one that is meant") {
  require_rule("version", [](Rig& rig) {
    void* function = nullptr;
    return rig.get_proc_address_v2("cuCtxCreate", &function, 13000, 0, nullptr);
  });
}

TEST_CASE("rule resident: while a worker runs nothing allocates, frees, registers, loads or synchronises") {
  static const Body calls[] = {
      [](Rig& rig) { return rig.memory_alloc(&rig.device, 8); },
      [](Rig& rig) { return rig.memory_free(rig.device); },
      [](Rig& rig) { return rig.host_alloc(reinterpret_cast<void**>(&rig.host), 8, 0); },
      [](Rig& rig) { return rig.host_free(rig.host); },
      [](Rig& rig) { return rig.host_register(&rig, 8, 0); },
      [](Rig& rig) { return rig.host_unregister(&rig); },
      [](Rig& rig) { return rig.module_load(&rig.module, "", 0, nullptr, nullptr); },
      [](Rig& rig) { return rig.module_unload(rig.module); },
      [](Rig& rig) { return rig.stream_synchronize(rig.second); },
      [](Rig& rig) { return rig.copy_to_host(&rig, rig.device, 1); },
      [](Rig& rig) { return rig.context_destroy(rig.context); },
  };
  for (static std::size_t call; call < std::size(calls); ++call) {
    require_rule("resident", [](Rig& rig) {
      rig.load_kernels();
      NEED(rig.run("wait_resident", rig.first, {rig.device_of(rig.word()), 0, 0}) == kSuccess);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return calls[call](rig);
    });
  }
}

}  // namespace woa::cuda
