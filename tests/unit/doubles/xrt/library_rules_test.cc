// Rules that the double enforces: a broken one ends the process with a line that names it.
#include "tests/unit/doubles/xrt/library_rig.h"

namespace woa::xrt {
namespace {

constexpr int kRefused = 33;

// Both ends of a rule: by default it aborts; under rules=errors the call fails. The body's result: the call failed.
template <class Body>
void require_rule(const std::string& rule, Body&& body, const std::string& words = "") {
  const auto run = [&](const std::string& more) {
    return run_with(more + words, [&] {
      Rig rig;
      errno = 0;
      return body(rig) && errno == EPERM ? kRefused : 34;
    });
  };
  const Ended strict = run("seed=1,");
  INFO(strict.log);
  REQUIRE(strict.aborted());
  REQUIRE(strict.log.find("woa_xrt_double: " + rule + ": ") != std::string::npos);
  const Ended lenient = run("rules=errors,");
  INFO(lenient.log);
  REQUIRE(lenient.exit_code() == kRefused);
}

const std::string kSlow = "delay_us=500000";  // runs are under way for long enough

}  // namespace

TEST_CASE("rule handle: a handle is of the right kind, and alive") {
  require_rule("handle", [](Rig& rig) { return rig.device_close(rig.kernel) != 0; });
  require_rule("handle", [](Rig& rig) { return rig.kernel_close(rig.device) != 0; });
  require_rule("handle", [](Rig& rig) { return rig.buffer_map(rig.slots[0].run) == nullptr; });
  require_rule("handle", [](Rig& rig) { return rig.run_start(rig.whole) != 0; });
  require_rule("handle", [](Rig& rig) { return rig.run_set_argument(rig.slots[0].run, 0, rig.kernel) != 0; });
  require_rule("handle", [](Rig& rig) { return rig.buffer_sync(nullptr, kToDevice, 1, 0) != 0; });
  require_rule("handle", [](Rig& rig) {
    BufferHandle buffer = rig.buffer_alloc(rig.device, 64, 0, 0);
    NEED(rig.buffer_free(buffer) == 0);
    return rig.buffer_sync(buffer, kToDevice, 64, 0) != 0;
  });
  require_rule("handle", [](Rig& rig) {
    BufferHandle buffer = rig.buffer_alloc(rig.device, 64, 0, 0);
    NEED(rig.run_set_argument(rig.slots[0].run, wact::kArgumentInput, buffer) == 0 && rig.buffer_free(buffer) == 0);
    return rig.run_start(rig.slots[0].run) != 0;
  });
}

TEST_CASE("rule handle: a buffer stays on its card") {
  require_rule(
      "handle",
      [](Rig& rig) {
        DeviceHandle other = rig.device_open(1);
        NEED(rig.load_xclbin(other, DOUBLES "xrt/woa.xclbin") == 0);
        BufferHandle buffer = rig.buffer_alloc(other, 64, 0, 0);
        return rig.run_set_argument(rig.slots[0].run, wact::kArgumentInput, buffer) != 0;
      },
      "devices=2");
}

TEST_CASE("rule xclbin: kernels are those of the xclbin that is loaded") {
  require_rule("xclbin", [](Rig& rig) {
    ++rig.uuid[0];
    return rig.kernel_open(rig.device, rig.uuid.data(), "woa_wact") == nullptr;
  });
  require_rule("xclbin", [](Rig& rig) { return rig.load_xclbin(rig.device, DOUBLES "xrt/two.xclbin") != 0; });
}

TEST_CASE("rule unit: one of several units is named") {
  require_rule("unit", [](Rig& rig) {
    rig.end();
    DeviceHandle device = rig.device_open(0);
    unsigned char uuid[16];
    NEED(rig.load_xclbin(device, DOUBLES "xrt/two.xclbin") == 0 && rig.xclbin_uuid(device, uuid) == 0);
    return rig.kernel_open(device, uuid, "woa_wact") == nullptr;
  });
}

TEST_CASE("rule bank: an argument lies in a bank that the kernel reaches") {
  require_rule("bank", [](Rig& rig) {
    BufferHandle buffer = rig.buffer_alloc(rig.device, 64, 0, 1);
    return rig.run_set_argument(rig.slots[0].run, wact::kArgumentInput, buffer) != 0;
  });
}

TEST_CASE("rule alignment: a part begins with a line") {
  require_rule("alignment", [](Rig& rig) { return rig.buffer_part(rig.whole, 64, 96) == nullptr; });
}

TEST_CASE("rule part: a part lies within its parent") {
  require_rule("part", [](Rig& rig) { return rig.buffer_part(rig.whole, Rig::kPage, 64) == nullptr; });
  require_rule("part", [](Rig& rig) { return rig.buffer_part(rig.whole, 64, ~std::size_t{63}) == nullptr; });
  require_rule("part", [](Rig& rig) { return rig.buffer_part(rig.whole, 0, 0) == nullptr; });
}

TEST_CASE("rule range: a copy stays within its buffer") {
  require_rule("range", [](Rig& rig) { return rig.buffer_sync(rig.inputs[0], kToDevice, Rig::kBlock, 1) != 0; });
  require_rule("range", [](Rig& rig) { return rig.buffer_sync(rig.inputs[0], kFromDevice, 8, ~std::size_t{7}) != 0; });
}

TEST_CASE("rule argument: a run has all of its arguments, and sizes within the buffers") {
  require_rule("argument", [](Rig& rig) {
    RunHandle run = rig.run_open(rig.kernel);
    return rig.run_start(run) != 0;
  });
  require_rule("argument", [](Rig& rig) {
    return rig.run_set_argument(rig.slots[0].run, wact::kArgumentResultBytes + 1, 0u) != 0;
  });
  require_rule("argument", [](Rig& rig) {
    NEED(rig.run_set_argument(rig.slots[0].run, wact::kArgumentOutputBytes, static_cast<unsigned>(Rig::kBlock) + 1) ==
         0);
    return rig.run_start(rig.slots[0].run) != 0;
  });
}

TEST_CASE("rule run: a run is started once, and left alone until it has ended") {
  require_rule("run", [](Rig& rig) { return rig.run_wait(rig.slots[0].run, 1) == kAbort; });
  require_rule(
      "run", [](Rig& rig) { return rig.start(0, 0) && rig.run_start(rig.slots[0].run) != 0; }, kSlow);
  require_rule(
      "run", [](Rig& rig) { return rig.start(0, 0) && rig.run_close(rig.slots[0].run) != 0; }, kSlow);
  require_rule(
      "run",
      [](Rig& rig) {
        return rig.start(0, 0) && rig.run_set_argument(rig.slots[0].run, wact::kArgumentInputBytes, 0u) != 0;
      },
      kSlow);
  require_rule("run", [](Rig& rig) {
    return rig.run_callback(rig.slots[0].run, kCompleted, &Rig::Slot::ended, &rig.slots[0]) != 0;
  });
}

TEST_CASE("rule run: a run is closed after its callback") {
  static std::atomic<bool> open{false};
  static std::atomic<bool> waits{false};
  const auto wait = [](RunHandle, int, void*) {
    waits.store(true);
    while (!open.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  require_rule("run", [&](Rig& rig) {
    RunHandle first = rig.run_open(rig.kernel);
    NEED(rig.run_callback(first, kCompleted, wait, nullptr) == 0);
    rig.set_arguments(first, rig.slots[0]);
    NEED(rig.run_start(first) == 0);
    while (!waits.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    NEED(rig.start(0, 0) && rig.run_wait(rig.slots[0].run, 10000) != kTimeout);  // its callback is behind the first
    return rig.run_close(rig.slots[0].run) != 0;
  });
}

TEST_CASE("rule in_use: what a run or a part uses stays") {
  require_rule(
      "in_use", [](Rig& rig) { return rig.start(0, 0) && rig.buffer_free(rig.inputs[0]) != 0; }, kSlow);
  require_rule(
      "in_use", [](Rig& rig) { return rig.start(0, 0) && rig.buffer_free(rig.slots[0].result) != 0; }, kSlow);
  require_rule("in_use", [](Rig& rig) { return rig.buffer_free(rig.whole) != 0; });
  require_rule("in_use", [](Rig& rig) { return rig.kernel_close(rig.kernel) != 0; });
}

TEST_CASE("rule callback: a callback calls nothing of the library") {
  struct Call {
    Rig* rig;
    std::atomic<int> failed{-1};
  };
  require_rule("callback", [](Rig& rig) {
    Call call{&rig};
    RunHandle run = rig.run_open(rig.kernel);
    NEED(rig.run_callback(
             run, kCompleted,
             [](RunHandle handle, int, void* at) {
               auto& mine = *static_cast<Call*>(at);
               mine.failed.store(mine.rig->run_state(handle) == kAbort && errno == EPERM);
             },
             &call) == 0);
    rig.set_arguments(run, rig.slots[0]);
    NEED(rig.run_start(run) == 0);
    while (call.failed.load() < 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    errno = EPERM;
    return call.failed.load() == 1;
  });
}

TEST_CASE("rule fork: a forked child has no library") {
  const Ended ended = run_with("", [] {
    Rig rig;
    test::Child child([&] {
      rig.run_state(rig.slots[0].run);
      return 0;
    });
    const int status = child.wait();
    rig.end();
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? kRefused : 0;
  });
  INFO(ended.log);
  REQUIRE(ended.exit_code() == kRefused);
  REQUIRE(ended.log.find("woa_xrt_double: fork: xrtRunState: ") != std::string::npos);
}

TEST_CASE("rule leak: all is given back") {
  require_rule("leak", [](Rig& rig) { return rig.device_close(rig.device) != 0; });
  const Ended ended = run_with("", [] {
    const Functions xrt;
    NEED(xrt.device_open(0) != nullptr);
    std::exit(0);
    return 0;
  });
  REQUIRE(ended.aborted());
  REQUIRE(ended.log.find("woa_xrt_double: leak: exit: a device was not closed") != std::string::npos);
}

}  // namespace woa::xrt
